from apps.api import contracts


def test_the_committed_contracts_match_the_code():
    for path, text in contracts.texts().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: run manage.py export_schema"
