"""The settings.

`settings.py` defines them, `value_types.py` how their values are written, `files.py` reads the files that have them,
`choice.py` decides by them which findings are shown, and `verifying.py` how to verify.
"""

from jitlint.config.choice import Choices
from jitlint.config.files import Configuration
from jitlint.config.settings import Settings, VerifySettings

__all__ = ["Choices", "Configuration", "Settings", "VerifySettings"]
