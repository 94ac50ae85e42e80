// Made from openapi.json by scripts/generate_clients.py: do not edit.
import { Connection } from "./connection.js";

const segment = encodeURIComponent;

const budgets = () => ({ method: "GET", path: "/api/v1/budgets", repeatable: true });
const setBudget = (period, options = {}) => ({ method: "POST", path: "/api/v1/budgets", repeatable: true, body: { period: period, ...options } });
const deleteBudget = (budgetId) => ({ method: "POST", path: `/api/v1/budgets/${segment(budgetId)}/delete`, repeatable: false });
const captureTurn = (sessionId, options = {}) => ({ method: "POST", path: "/api/v1/capture", repeatable: options.turn_number != null, body: { session_id: sessionId, ...options } });
const categories = () => ({ method: "GET", path: "/api/v1/categories", repeatable: true });
const createCategory = (slug, label, options = {}) => ({ method: "POST", path: "/api/v1/categories", repeatable: false, body: { slug: slug, label: label, ...options } });
const updateCategory = (slug, options = {}) => ({ method: "POST", path: `/api/v1/categories/${segment(slug)}`, repeatable: true, body: { ...options } });
const previewCategory = (slug, options = {}) => ({ method: "POST", path: `/api/v1/categories/${segment(slug)}/preview`, repeatable: true, body: { ...options } });
const context = (options = {}) => ({ method: "POST", path: "/api/v1/context", repeatable: true, body: { ...options } });
const tryContext = (options = {}) => ({ method: "POST", path: "/api/v1/context/try", repeatable: true, body: { ...options } });
const curatedMemory = () => ({ method: "GET", path: "/api/v1/curated-memory", repeatable: true });
const checkCuratedMemory = () => ({ method: "GET", path: "/api/v1/curated-memory/check", repeatable: true });
const curatedHistory = (options = {}) => ({ method: "GET", path: "/api/v1/curated-memory/history", repeatable: true, query: { ...options } });
const rebuildCuratedMemory = () => ({ method: "POST", path: "/api/v1/curated-memory/rebuild", repeatable: true });
const restoreCuratedMemory = (entries, options = {}) => ({ method: "POST", path: "/api/v1/curated-memory/restore", repeatable: false, body: { entries: entries, ...options } });
const entities = (options = {}) => ({ method: "GET", path: "/api/v1/entities", repeatable: true, query: { ...options } });
const entityNamed = (name, options = {}) => ({ method: "GET", path: "/api/v1/entities/named", repeatable: true, query: { name: name, ...options } });
const entity = (entityId, options = {}) => ({ method: "GET", path: `/api/v1/entities/${segment(entityId)}`, repeatable: true, query: { ...options } });
const mergeEntities = (entityId, from) => ({ method: "POST", path: `/api/v1/entities/${segment(entityId)}/merge`, repeatable: false, body: { from: from } });
const neighbourhood = (entityId, options = {}) => ({ method: "GET", path: `/api/v1/entities/${segment(entityId)}/neighbourhood`, repeatable: true, query: { ...options } });
const splitEntity = (entityId, aliases) => ({ method: "POST", path: `/api/v1/entities/${segment(entityId)}/split`, repeatable: false, body: { aliases: aliases } });
const erasures = (options = {}) => ({ method: "GET", path: "/api/v1/erasures", repeatable: true, query: { ...options } });
const requestErasure = (fingerprint, options = {}) => ({ method: "POST", path: "/api/v1/erasures", repeatable: false, body: { fingerprint: fingerprint, ...options } });
const previewErasure = (options = {}) => ({ method: "POST", path: "/api/v1/erasures/preview", repeatable: true, body: { ...options } });
const verifyReceipt = (receipt) => ({ method: "POST", path: "/api/v1/erasures/verify", repeatable: true, body: { receipt: receipt } });
const erasure = (erasureId) => ({ method: "GET", path: `/api/v1/erasures/${segment(erasureId)}`, repeatable: true });
const approveErasure = (erasureId) => ({ method: "POST", path: `/api/v1/erasures/${segment(erasureId)}/approve`, repeatable: false });
const rejectErasure = (erasureId) => ({ method: "POST", path: `/api/v1/erasures/${segment(erasureId)}/reject`, repeatable: false });
const memoryEvents = (options = {}) => ({ method: "GET", path: "/api/v1/events", repeatable: true, query: { ...options } });
const exportAbout = (options = {}) => ({ method: "POST", path: "/api/v1/exports", repeatable: true, body: { ...options } });
const forget = (options = {}) => ({ method: "POST", path: "/api/v1/forget", repeatable: true, body: { ...options } });
const graphStatus = () => ({ method: "GET", path: "/api/v1/graph", repeatable: true });
const backfillGraph = () => ({ method: "POST", path: "/api/v1/graph/backfill", repeatable: true });
const checkGraph = () => ({ method: "POST", path: "/api/v1/graph/check", repeatable: true });
const rebuildGraph = () => ({ method: "POST", path: "/api/v1/graph/rebuild", repeatable: true });
const repairGraph = () => ({ method: "POST", path: "/api/v1/graph/repair", repeatable: true });
const healthReport = () => ({ method: "GET", path: "/api/v1/health-report", repeatable: true });
const importLines = (lines) => ({ method: "POST", path: "/api/v1/imports", repeatable: true, body: { lines: lines } });
const jobs = (ids) => ({ method: "GET", path: "/api/v1/jobs", repeatable: true, query: { ids: ids } });
const retryJob = (jobId) => ({ method: "POST", path: `/api/v1/jobs/${segment(jobId)}/retry`, repeatable: true });
const journal = (options = {}) => ({ method: "GET", path: "/api/v1/journal", repeatable: true, query: { ...options } });
const logAction = (action, options = {}) => ({ method: "POST", path: "/api/v1/journal", repeatable: false, body: { action: action, ...options } });
const keys = () => ({ method: "GET", path: "/api/v1/keys", repeatable: true });
const createApiKey = (scopes, options = {}) => ({ method: "POST", path: "/api/v1/keys", repeatable: false, body: { scopes: scopes, ...options } });
const revokeApiKey = (keyId) => ({ method: "POST", path: `/api/v1/keys/${segment(keyId)}/revoke`, repeatable: true });
const rotateApiKey = (keyId, options = {}) => ({ method: "POST", path: `/api/v1/keys/${segment(keyId)}/rotate`, repeatable: false, body: { ...options } });
const lessons = (options = {}) => ({ method: "GET", path: "/api/v1/lessons", repeatable: true, query: { ...options } });
const lessonsFile = (options = {}) => ({ method: "GET", path: "/api/v1/lessons.md", repeatable: true, query: { ...options } });
const dismissLesson = (lessonId) => ({ method: "POST", path: `/api/v1/lessons/${segment(lessonId)}/dismiss`, repeatable: true });
const runMaintenance = (job, options = {}) => ({ method: "POST", path: "/api/v1/maintenance", repeatable: true, body: { job: job, ...options } });
const memories = (options = {}) => ({ method: "GET", path: "/api/v1/memories", repeatable: true, query: { ...options } });
const remember = (text, options = {}) => ({ method: "POST", path: "/api/v1/memories", repeatable: true, body: { text: text, ...options, external_id: options.external_id ?? crypto.randomUUID() } });
const weakMemories = (options = {}) => ({ method: "GET", path: "/api/v1/memories/weak", repeatable: true, query: { ...options } });
const memory = (memoryId, options = {}) => ({ method: "GET", path: `/api/v1/memories/${segment(memoryId)}`, repeatable: true, query: { ...options } });
const confirm = (memoryId, options = {}) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/confirm`, repeatable: true, body: { ...options } });
const withdrawConfirmation = (memoryId, options = {}) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/confirm/withdraw`, repeatable: true, body: { ...options } });
const correct = (memoryId, text, options = {}) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/correct`, repeatable: false, body: { text: text, ...options } });
const explainMemory = (memoryId, options = {}) => ({ method: "GET", path: `/api/v1/memories/${segment(memoryId)}/explain`, repeatable: true, query: { ...options } });
const giveFeedback = (memoryId, kind, options = {}) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/feedback`, repeatable: true, body: { kind: kind, ...options } });
const withdrawFeedback = (memoryId) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/feedback/withdraw`, repeatable: true });
const share = (memoryId, options = {}) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/share`, repeatable: false, body: { ...options } });
const unmerge = (memoryId) => ({ method: "POST", path: `/api/v1/memories/${segment(memoryId)}/unmerge`, repeatable: false });
const memoryFile = () => ({ method: "GET", path: "/api/v1/memory.md", repeatable: true });
const observe = (sessionId, text, options = {}) => ({ method: "POST", path: "/api/v1/observe", repeatable: true, body: { session_id: sessionId, text: text, ...options } });
const path = (from, to, options = {}) => ({ method: "GET", path: "/api/v1/path", repeatable: true, query: { from: from, to: to, ...options } });
const simulatePolicy = (policy, options = {}) => ({ method: "POST", path: "/api/v1/policy/simulate", repeatable: true, body: { policy: policy, ...options } });
const proposals = (options = {}) => ({ method: "GET", path: "/api/v1/proposals", repeatable: true, query: { ...options } });
const decideProposal = (proposalId, decision, version, options = {}) => ({ method: "POST", path: `/api/v1/proposals/${segment(proposalId)}/decide`, repeatable: false, body: { decision: decision, version: version, ...options } });
const recall = (query, options = {}) => ({ method: "POST", path: "/api/v1/recall", repeatable: true, body: { query: query, ...options } });
const tryRecall = (query, options = {}) => ({ method: "POST", path: "/api/v1/recall/try", repeatable: true, body: { query: query, ...options } });
const reportOutput = (recallId, output) => ({ method: "POST", path: `/api/v1/recalls/${segment(recallId)}/output`, repeatable: true, body: { output: output } });
const reflect = () => ({ method: "POST", path: "/api/v1/reflect", repeatable: true });
const rejections = (options = {}) => ({ method: "GET", path: "/api/v1/rejections", repeatable: true, query: { ...options } });
const rejectionCounts = (options = {}) => ({ method: "GET", path: "/api/v1/rejections/counts", repeatable: true, query: { ...options } });
const restore = (batchId) => ({ method: "POST", path: "/api/v1/restore", repeatable: true, body: { batch_id: batchId } });
const reviewQueue = (options = {}) => ({ method: "GET", path: "/api/v1/review-queue", repeatable: true, query: { ...options } });
const schedules = () => ({ method: "GET", path: "/api/v1/schedules", repeatable: true });
const changeSchedule = (name, options = {}) => ({ method: "POST", path: `/api/v1/schedules/${segment(name)}`, repeatable: true, body: { ...options } });
const runSchedule = (name) => ({ method: "POST", path: `/api/v1/schedules/${segment(name)}/run`, repeatable: true });
const sessionTrace = (traceId, options = {}) => ({ method: "GET", path: `/api/v1/session-traces/${segment(traceId)}`, repeatable: true, query: { ...options } });
const sessions = (options = {}) => ({ method: "GET", path: "/api/v1/sessions", repeatable: true, query: { ...options } });
const startSession = (sessionId, options = {}) => ({ method: "POST", path: "/api/v1/sessions", repeatable: true, body: { session_id: sessionId, ...options } });
const session = (sessionId, options = {}) => ({ method: "GET", path: `/api/v1/sessions/${segment(sessionId)}`, repeatable: true, query: { ...options } });
const branchSession = (sessionId, newSessionId, options = {}) => ({ method: "POST", path: `/api/v1/sessions/${segment(sessionId)}/branch`, repeatable: true, body: { new_session_id: newSessionId, ...options } });
const checkpoint = (sessionId, options = {}) => ({ method: "GET", path: `/api/v1/sessions/${segment(sessionId)}/checkpoint`, repeatable: true, query: { ...options } });
const endSession = (sessionId, options = {}) => ({ method: "POST", path: `/api/v1/sessions/${segment(sessionId)}/end`, repeatable: true, body: { ...options } });
const heartbeat = (sessionId, options = {}) => ({ method: "POST", path: `/api/v1/sessions/${segment(sessionId)}/heartbeat`, repeatable: true, body: { ...options } });
const recover = (sessionId, options = {}) => ({ method: "GET", path: `/api/v1/sessions/${segment(sessionId)}/recover`, repeatable: true, query: { ...options } });
const replay = (sessionId, options = {}) => ({ method: "GET", path: `/api/v1/sessions/${segment(sessionId)}/replay`, repeatable: true, query: { ...options } });
const rememberShared = (text, options = {}) => ({ method: "POST", path: "/api/v1/shared-memory", repeatable: true, body: { text: text, ...options, external_id: options.external_id ?? crypto.randomUUID() } });
const sharedDomains = (options = {}) => ({ method: "GET", path: "/api/v1/shared-memory/domains", repeatable: true, query: { ...options } });
const recallShared = (query, options = {}) => ({ method: "POST", path: "/api/v1/shared-memory/query", repeatable: true, body: { query: query, ...options } });
const stats = (options = {}) => ({ method: "GET", path: "/api/v1/stats", repeatable: true, query: { ...options } });
const summaries = (options = {}) => ({ method: "GET", path: "/api/v1/summaries", repeatable: true, query: { ...options } });
const summary = (category, options = {}) => ({ method: "GET", path: `/api/v1/summaries/${segment(category)}`, repeatable: true, query: { ...options } });
const summaryVersions = (category, options = {}) => ({ method: "GET", path: `/api/v1/summaries/${segment(category)}/versions`, repeatable: true, query: { ...options } });
const triggers = (options = {}) => ({ method: "GET", path: "/api/v1/triggers", repeatable: true, query: { ...options } });
const createTrigger = (text, options = {}) => ({ method: "POST", path: "/api/v1/triggers", repeatable: false, body: { text: text, ...options } });
const completeTrigger = (triggerId) => ({ method: "POST", path: `/api/v1/triggers/${segment(triggerId)}/complete`, repeatable: false });
const dismissTrigger = (triggerId) => ({ method: "POST", path: `/api/v1/triggers/${segment(triggerId)}/dismiss`, repeatable: true });
const snoozeTrigger = (triggerId, until) => ({ method: "POST", path: `/api/v1/triggers/${segment(triggerId)}/snooze`, repeatable: true, body: { until: until } });
const usage = (options = {}) => ({ method: "GET", path: "/api/v1/usage", repeatable: true, query: { ...options } });
const viewer = () => ({ method: "GET", path: "/api/v1/viewer", repeatable: true });

export class Verbs extends Connection {
  async budgets() {
    return (await this.send(budgets())).items;
  }
  async setBudget(period, options = {}) {
    return this.send(setBudget(period, options));
  }
  async deleteBudget(budgetId) {
    return this.send(deleteBudget(budgetId));
  }
  async captureTurn(sessionId, options = {}) {
    return this.send(captureTurn(sessionId, options));
  }
  async categories() {
    return (await this.send(categories())).items;
  }
  async createCategory(slug, label, options = {}) {
    return this.send(createCategory(slug, label, options));
  }
  async updateCategory(slug, options = {}) {
    return this.send(updateCategory(slug, options));
  }
  async previewCategory(slug, options = {}) {
    return this.send(previewCategory(slug, options));
  }
  async context(options = {}) {
    return this.send(context(options));
  }
  async tryContext(options = {}) {
    return this.send(tryContext(options));
  }
  async curatedMemory() {
    return this.send(curatedMemory());
  }
  async checkCuratedMemory() {
    return this.send(checkCuratedMemory());
  }
  async curatedHistory(options = {}) {
    return this.send(curatedHistory(options));
  }
  iterCuratedHistory(options = {}) {
    return this.pages(curatedHistory(options));
  }
  async rebuildCuratedMemory() {
    return this.send(rebuildCuratedMemory());
  }
  async restoreCuratedMemory(entries, options = {}) {
    return this.send(restoreCuratedMemory(entries, options));
  }
  async entities(options = {}) {
    return this.send(entities(options));
  }
  iterEntities(options = {}) {
    return this.pages(entities(options));
  }
  async entityNamed(name, options = {}) {
    return this.send(entityNamed(name, options));
  }
  async entity(entityId, options = {}) {
    return this.send(entity(entityId, options));
  }
  async mergeEntities(entityId, from) {
    return this.send(mergeEntities(entityId, from));
  }
  async neighbourhood(entityId, options = {}) {
    return this.send(neighbourhood(entityId, options));
  }
  async splitEntity(entityId, aliases) {
    return this.send(splitEntity(entityId, aliases));
  }
  async erasures(options = {}) {
    return this.send(erasures(options));
  }
  iterErasures(options = {}) {
    return this.pages(erasures(options));
  }
  async requestErasure(fingerprint, options = {}) {
    return this.send(requestErasure(fingerprint, options));
  }
  async previewErasure(options = {}) {
    return this.send(previewErasure(options));
  }
  async verifyReceipt(receipt) {
    return this.send(verifyReceipt(receipt));
  }
  async erasure(erasureId) {
    return this.send(erasure(erasureId));
  }
  async approveErasure(erasureId) {
    return this.send(approveErasure(erasureId));
  }
  async rejectErasure(erasureId) {
    return this.send(rejectErasure(erasureId));
  }
  async memoryEvents(options = {}) {
    return this.send(memoryEvents(options));
  }
  async exportAbout(options = {}) {
    return this.send(exportAbout(options));
  }
  iterExportAbout(options = {}) {
    return this.pages(exportAbout(options));
  }
  async forget(options = {}) {
    return this.send(forget(options));
  }
  async graphStatus() {
    return this.send(graphStatus());
  }
  async backfillGraph() {
    return this.send(backfillGraph());
  }
  async checkGraph() {
    return this.send(checkGraph());
  }
  async rebuildGraph() {
    return this.send(rebuildGraph());
  }
  async repairGraph() {
    return this.send(repairGraph());
  }
  async healthReport() {
    return this.send(healthReport());
  }
  async importLines(lines) {
    return this.send(importLines(lines));
  }
  async jobs(ids) {
    return (await this.send(jobs(ids))).items;
  }
  async retryJob(jobId) {
    return this.send(retryJob(jobId));
  }
  async journal(options = {}) {
    return this.send(journal(options));
  }
  iterJournal(options = {}) {
    return this.pages(journal(options));
  }
  async logAction(action, options = {}) {
    return this.send(logAction(action, options));
  }
  async keys() {
    return (await this.send(keys())).items;
  }
  async createApiKey(scopes, options = {}) {
    return this.send(createApiKey(scopes, options));
  }
  async revokeApiKey(keyId) {
    return this.send(revokeApiKey(keyId));
  }
  async rotateApiKey(keyId, options = {}) {
    return this.send(rotateApiKey(keyId, options));
  }
  async lessons(options = {}) {
    return this.send(lessons(options));
  }
  iterLessons(options = {}) {
    return this.pages(lessons(options));
  }
  async lessonsFile(options = {}) {
    return this.send(lessonsFile(options));
  }
  async dismissLesson(lessonId) {
    return this.send(dismissLesson(lessonId));
  }
  async runMaintenance(job, options = {}) {
    return this.send(runMaintenance(job, options));
  }
  async memories(options = {}) {
    return this.send(memories(options));
  }
  iterMemories(options = {}) {
    return this.pages(memories(options));
  }
  async remember(text, options = {}) {
    return this.send(remember(text, options));
  }
  async weakMemories(options = {}) {
    return this.send(weakMemories(options));
  }
  iterWeakMemories(options = {}) {
    return this.pages(weakMemories(options));
  }
  async memory(memoryId, options = {}) {
    return this.send(memory(memoryId, options));
  }
  async confirm(memoryId, options = {}) {
    return this.send(confirm(memoryId, options));
  }
  async withdrawConfirmation(memoryId, options = {}) {
    return this.send(withdrawConfirmation(memoryId, options));
  }
  async correct(memoryId, text, options = {}) {
    return this.send(correct(memoryId, text, options));
  }
  async explainMemory(memoryId, options = {}) {
    return this.send(explainMemory(memoryId, options));
  }
  async giveFeedback(memoryId, kind, options = {}) {
    return this.send(giveFeedback(memoryId, kind, options));
  }
  async withdrawFeedback(memoryId) {
    return this.send(withdrawFeedback(memoryId));
  }
  async share(memoryId, options = {}) {
    return this.send(share(memoryId, options));
  }
  async unmerge(memoryId) {
    return this.send(unmerge(memoryId));
  }
  async memoryFile() {
    return this.send(memoryFile());
  }
  async observe(sessionId, text, options = {}) {
    return this.send(observe(sessionId, text, options));
  }
  async path(from, to, options = {}) {
    return this.send(path(from, to, options));
  }
  async simulatePolicy(policy, options = {}) {
    return this.send(simulatePolicy(policy, options));
  }
  async proposals(options = {}) {
    return this.send(proposals(options));
  }
  iterProposals(options = {}) {
    return this.pages(proposals(options));
  }
  async decideProposal(proposalId, decision, version, options = {}) {
    return this.send(decideProposal(proposalId, decision, version, options));
  }
  async recall(query, options = {}) {
    return this.send(recall(query, options));
  }
  async tryRecall(query, options = {}) {
    return this.send(tryRecall(query, options));
  }
  async reportOutput(recallId, output) {
    return this.send(reportOutput(recallId, output));
  }
  async reflect() {
    return this.send(reflect());
  }
  async rejections(options = {}) {
    return this.send(rejections(options));
  }
  iterRejections(options = {}) {
    return this.pages(rejections(options));
  }
  async rejectionCounts(options = {}) {
    return (await this.send(rejectionCounts(options))).items;
  }
  async restore(batchId) {
    return this.send(restore(batchId));
  }
  async reviewQueue(options = {}) {
    return this.send(reviewQueue(options));
  }
  iterReviewQueue(options = {}) {
    return this.pages(reviewQueue(options));
  }
  async schedules() {
    return (await this.send(schedules())).items;
  }
  async changeSchedule(name, options = {}) {
    return this.send(changeSchedule(name, options));
  }
  async runSchedule(name) {
    return this.send(runSchedule(name));
  }
  async sessionTrace(traceId, options = {}) {
    return this.send(sessionTrace(traceId, options));
  }
  async sessions(options = {}) {
    return this.send(sessions(options));
  }
  iterSessions(options = {}) {
    return this.pages(sessions(options));
  }
  async startSession(sessionId, options = {}) {
    return this.send(startSession(sessionId, options));
  }
  async session(sessionId, options = {}) {
    return this.send(session(sessionId, options));
  }
  async branchSession(sessionId, newSessionId, options = {}) {
    return this.send(branchSession(sessionId, newSessionId, options));
  }
  async checkpoint(sessionId, options = {}) {
    return this.send(checkpoint(sessionId, options));
  }
  async endSession(sessionId, options = {}) {
    return this.send(endSession(sessionId, options));
  }
  async heartbeat(sessionId, options = {}) {
    return this.send(heartbeat(sessionId, options));
  }
  async recover(sessionId, options = {}) {
    return this.send(recover(sessionId, options));
  }
  async replay(sessionId, options = {}) {
    return (await this.send(replay(sessionId, options))).items;
  }
  async rememberShared(text, options = {}) {
    return this.send(rememberShared(text, options));
  }
  async sharedDomains(options = {}) {
    return (await this.send(sharedDomains(options))).items;
  }
  async recallShared(query, options = {}) {
    return this.send(recallShared(query, options));
  }
  async stats(options = {}) {
    return this.send(stats(options));
  }
  async summaries(options = {}) {
    return (await this.send(summaries(options))).items;
  }
  async summary(category, options = {}) {
    return this.send(summary(category, options));
  }
  async summaryVersions(category, options = {}) {
    return (await this.send(summaryVersions(category, options))).items;
  }
  async triggers(options = {}) {
    return this.send(triggers(options));
  }
  iterTriggers(options = {}) {
    return this.pages(triggers(options));
  }
  async createTrigger(text, options = {}) {
    return this.send(createTrigger(text, options));
  }
  async completeTrigger(triggerId) {
    return this.send(completeTrigger(triggerId));
  }
  async dismissTrigger(triggerId) {
    return this.send(dismissTrigger(triggerId));
  }
  async snoozeTrigger(triggerId, until) {
    return this.send(snoozeTrigger(triggerId, until));
  }
  async usage(options = {}) {
    return this.send(usage(options));
  }
  iterUsage(options = {}) {
    return this.pages(usage(options));
  }
  async viewer() {
    return this.send(viewer());
  }
}
