"""Console: what people see and do in their tenant, in a browser, at /console/.

A page is one entry in pages.py, which says who sees it; one function in views/<topic>.py, which gets the request and
the gateway of the person; and one template, templates/console/<name>.html, which extends base.html. Rules live below: a
page reads through the gateway, or a selector inside a scope the gateway opened, and changes nothing but by a verb.

Styles are in console.css alone and scripts in files of their own: the pages' Content-Security-Policy lets nothing else
run. Data goes to scripts by `json_script`. What should stay fresh stands in `{% block fresh %}`.
"""
