from django.contrib.admin.apps import AdminConfig


class MemoryAdminConfig(AdminConfig):
    """Django's admin, on a site that knows tenants."""

    default_site = "apps.tenants.admin_site.TenantAdminSite"
