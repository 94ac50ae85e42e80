// Starts GraphiQL on this page; the key goes into the headers editor. Its placeholder is ASCII: no other header can be sent.
"use strict";

const fetcher = async (parameters, options) => {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...((options && options.headers) || {}) },
    body: JSON.stringify(parameters),
  });
  return response.json();
};

// GraphiQL names no editor, and calls a tab what holds buttons.
const tellApart = () => {
  for (const area of document.querySelectorAll("#graphiql section[aria-label] textarea:not([aria-label])")) {
    area.setAttribute("aria-label", area.closest("section").getAttribute("aria-label"));
  }
  for (const each of document.querySelectorAll('#graphiql [role="tablist"], #graphiql [role="tab"]')) {
    each.removeAttribute("role");
    each.removeAttribute("aria-selected");
  }
};
new MutationObserver(tellApart).observe(document.getElementById("graphiql"), { childList: true, subtree: true });

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    isHeadersEditorEnabled: true,
    defaultHeaders: '{\n  "Authorization": "Bearer YOUR_API_KEY"\n}',
    defaultQuery: '{\n  recall(query: "Where does Mara live?") {\n    hits { text confidence tags }\n  }\n}\n',
  })
);
