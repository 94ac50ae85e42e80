from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0020_curation"),
    ]

    operations = [
        migrations.AlterField(
            model_name="membership",
            name="role",
            field=models.CharField(
                choices=[
                    ("owner", "Owner"),
                    ("admin", "Admin"),
                    ("operator", "Operator"),
                    ("billing", "Billing"),
                    ("member", "Member"),
                ],
                default="operator",
                max_length=8,
            ),
        ),
    ]
