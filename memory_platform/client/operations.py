"""The GraphQL operations of the client, each with one root field."""

_MEMORY = """
  id text kind category service strength sentiment confidence baseConfidence verdict status protected
  eventTime validFrom validUntil recordedAt lastConfirmedAt expiresAt accessCount recallCount mergedCount
  userId visibility agentId
"""

_RECALL = """
  id rewrittenQuery intent profile tier degraded costUsd tookMs
  hits {
    rank unit id text score confidence ageDays tags agentId saidAt
    scores { vector keyword graph time decay priority sentiment domain }
    sources { resourceId externalId speaker saidAt quote }
  }
"""

RECALL = (
    f"query($query: String!, $options: RecallOptions) {{ recall(query: $query, options: $options) {{ {_RECALL} }} }}"
)

RECALL_EXPLAINED = f"""
query($query: String!, $options: RecallOptions) {{
  recall(query: $query, options: $options) {{
    {_RECALL}
    explanation {{
      statement complexity gate floor candidates
      timeRange {{ start end phrase }}
      stages {{ name milliseconds }}
      arms {{ name candidates }}
      belowFloor {{ unit id text score sources {{ resourceId externalId speaker saidAt quote }} }}
    }}
  }}
}}
"""

CONTEXT = """
query($query: String, $options: ContextOptions) {
  context(query: $query, options: $options) { recallId text tokens included available }
}
"""

CAPTURE_TURN = """
mutation($input: TurnInput!) { captureTurn(input: $input) { sessionId turnNumber resourceIds jobIds duplicate } }
"""

_WRITE_RESULT = f"outcome reason pending memory {{ {_MEMORY} }} supersedes {{ id text }}"

REMEMBER = f"mutation($input: RememberInput!) {{ remember(input: $input) {{ {_WRITE_RESULT} }} }}"

CORRECT = f"""
mutation($id: ID!, $text: String!, $reason: String) {{
  correct(id: $id, text: $text, reason: $reason) {{ {_WRITE_RESULT} }}
}}
"""

CONFIRM = f"mutation($id: ID!) {{ confirm(id: $id) {{ {_MEMORY} }} }}"

SHARE = f"mutation($id: ID!, $domain: String) {{ share(id: $id, domain: $domain) {{ {_MEMORY} }} }}"

SHARED_DOMAINS = "query { sharedDomains { domain memories agents lastWriteAt } }"

_ENTITY = f"""
  id name type aliases summary mentionCount firstSeenAt lastSeenAt
  facts {{ {_MEMORY} }}
  timeline {{
    kind predicate subject object objectId negated confidence validFrom validUntil memoryId resourceId quote
  }}
  related {{ id name type predicate outgoing weight }}
  saidBy {{ name count }}
"""

ENTITY = f"""
query($id: ID, $name: String, $asOf: DateTime, $userId: String) {{
  entity(id: $id, name: $name, asOf: $asOf, userId: $userId) {{ {_ENTITY} }}
}}
"""

ENTITIES = """
query($search: String, $type: EntityType, $first: Int, $after: String, $userId: String) {
  entities(search: $search, type: $type, first: $first, after: $after, userId: $userId) {
    edges { cursor node { id name type mentionCount } } pageInfo { hasNextPage endCursor }
  }
}
"""

PATH = """
query($from: ID!, $to: ID!, $maxDepth: Int!, $asOf: DateTime, $userId: String) {
  path(from: $from, to: $to, maxDepth: $maxDepth, asOf: $asOf, userId: $userId) {
    kind predicate forward fact
    start { kind id text }
    end { kind id text }
    sources { resourceId externalId speaker saidAt }
  }
}
"""

MERGE_ENTITIES = f"mutation($into: ID!, $from: [ID!]!) {{ mergeEntities(into: $into, from: $from) {{ {_ENTITY} }} }}"

SPLIT_ENTITY = f"mutation($id: ID!, $aliases: [String!]!) {{ splitEntity(id: $id, aliases: $aliases) {{ {_ENTITY} }} }}"

_FORGOTTEN = "batchId dryRun items { id text } episodes"

FORGET = f"mutation($input: ForgetInput!) {{ forget(input: $input) {{ {_FORGOTTEN} }} }}"

RESTORE = f"mutation($batchId: ID!) {{ restore(batchId: $batchId) {{ {_FORGOTTEN} }} }}"

REPORT_OUTPUT = """
mutation($recallId: ID!, $output: String!) { reportOutput(recallId: $recallId, output: $output) { used ignored } }
"""

MEMORY = f"query($id: ID!) {{ memory(id: $id) {{ {_MEMORY} }} }}"

MEMORIES = f"""
query($filter: MemoryFilter, $first: Int, $after: String) {{
  memories(filter: $filter, first: $first, after: $after) {{
    edges {{ cursor node {{ {_MEMORY} }} }} pageInfo {{ hasNextPage endCursor }}
  }}
}}
"""

EXPLAIN = f"""
query($id: ID!) {{
  explainMemory(id: $id) {{
    memory {{ {_MEMORY} }}
    sources {{ resourceId externalId speaker saidAt quote }}
    versions {{ at operation reason }}
    merged {{ id text reason }}
    supersedes {{ id text reason }}
    supersededBy {{ id text reason }}
    contradicts {{ id text reason agentId saidAt confidence open }}
    sharedFrom {{ id text }}
    sharedAs {{ id text }}
  }}
}}
"""

STATS = """
query { stats { items byStatus { name count } byVerdict { name count } byCategory { name count } episodes rejections
  openContradictions jobsQueued } }
"""

VIEWER = "query { viewer { tenant agentId domain userId scopes limits { name perMinute } } }"

JOBS = "query($ids: [ID!]!) { jobs(ids: $ids) { id name state attempts error outcome { name count } finishedAt } }"

_ENTRY = "id at operation actor agentId subject subjectId requestId data action tool detail reason"

JOURNAL = f"""
query($filter: JournalFilter, $first: Int, $after: String) {{
  journal(filter: $filter, first: $first, after: $after) {{
    edges {{ cursor node {{ {_ENTRY} }} }} pageInfo {{ hasNextPage endCursor }}
  }}
}}
"""

LOG_ACTION = f"mutation($input: LogInput!) {{ logAction(input: $input) {{ {_ENTRY} }} }}"

_NEW_KEY = "token key { id prefix name scopes expiresAt agentId userId }"

CREATE_KEY = f"mutation($input: ApiKeyInput!) {{ createApiKey(input: $input) {{ {_NEW_KEY} }} }}"

ROTATE_KEY = f"mutation($id: ID!) {{ rotateApiKey(id: $id) {{ {_NEW_KEY} }} }}"

REVOKE_KEY = "mutation($id: ID!) { revokeApiKey(id: $id) { id prefix name scopes revokedAt } }"

REJECTIONS = """
query($first: Int, $after: String) {
  rejections(first: $first, after: $after) {
    edges { cursor node { id text reason verdict at sources { resourceId externalId speaker saidAt quote } } }
    pageInfo { hasNextPage endCursor }
  }
}
"""
