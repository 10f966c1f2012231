"""The settings of strength: how memories fade, what trust is worth, and how little either may move an order."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Strength(BaseModel):
    """Every setting of strength, checked; `default.toml` says what each is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    half_life_fact_days: float = Field(gt=0, le=36_500)
    half_life_experience_days: float = Field(gt=0, le=36_500)
    half_life_profile_days: float = Field(gt=0, le=36_500)
    half_life_intention_days: float = Field(gt=0, le=36_500)
    half_life_schema_days: float = Field(gt=0, le=36_500)
    half_life_summary_days: float = Field(gt=0, le=36_500)
    half_life_turn_days: float = Field(gt=0, le=36_500)
    slower_per_confirmation: float = Field(ge=0, le=10)
    slower_at_most: float = Field(ge=1, le=100)
    touch_days: float = Field(ge=0, le=365)
    touches_at_most: int = Field(ge=0, le=1000)
    work_day_days: float = Field(ge=1, le=365)
    archive_after_half_lives: float = Field(ge=0.5, le=1000)
    temporary_importance: float = Field(ge=0, le=1)
    temporary_days: float = Field(ge=1, le=36_500)
    trust_user: float = Field(gt=0, lt=1)
    trust_agent: float = Field(gt=0, lt=1)
    trust_tool: float = Field(gt=0, lt=1)
    trust_outside: float = Field(gt=0, lt=1)
    trust_helpful: float = Field(ge=1, le=100)
    trust_unhelpful: float = Field(gt=0, le=1)
    trust_wrong: float = Field(gt=0, le=1)
    loud_uses: int = Field(ge=1, le=10_000)
    loud_share: float = Field(ge=0, le=1)
    nudge_recency: float = Field(ge=0, le=1)
    nudge_importance: float = Field(ge=0, le=1)
    nudge_trust: float = Field(ge=0, le=1)
    nudge_branch: float = Field(ge=0, le=1)
    nudge_file: float = Field(ge=0, le=1)
    nudge_least: float = Field(gt=0, le=1)
    nudge_most: float = Field(ge=1, le=10)
