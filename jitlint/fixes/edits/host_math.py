"""Placeholder."""
from jitlint.fixes.site import Proposal, Site
def propose(site: Site):
    return iter(())
