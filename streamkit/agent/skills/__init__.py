"""Skills: folders of instructions that a model loads when it needs them."""

from streamkit.agent.skills.skills import Roots, Skill, Skills, as_skills

__all__ = ["Roots", "Skill", "Skills", "as_skills"]
