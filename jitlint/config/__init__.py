"""The settings: `settings.py` says what there is to set, `files.py` where it is said, `choice.py` what is shown."""

from jitlint.config.choice import Choices
from jitlint.config.files import Configuration
from jitlint.config.settings import Settings, VerifySettings

__all__ = ["Choices", "Configuration", "Settings", "VerifySettings"]
