"""What retrieval does: answer a question, fill a prompt, learn from what was used."""

from apps.retrieval.services.contexts import context
from apps.retrieval.services.feedback import count_uses, expect_output, judge_captured, report_output
from apps.retrieval.services.recalling import recall

__all__ = ["context", "count_uses", "expect_output", "judge_captured", "recall", "report_output"]
