"""What jitlint says of public packages, kept and compared: see README.md."""
