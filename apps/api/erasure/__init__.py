"""Erasing for good: preview, request, approval, receipts."""
