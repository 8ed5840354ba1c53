// Measures speed and memory, always against a baseline in the same run.

import Foundation

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
    print(Arguments.usage)
    exit(2)
}
if arguments.serve {
    try await ServerProcess.serve()
    exit(0)
}
let harness = Harness(arguments: arguments)
var report = Report()
// These first, before other benchmarks allocate memory.
if harness.wants("queueing") {
    report.growth.append(try harness.waitingMemory())
    report.figures += try await harness.queueing()
}
if harness.wants("rows") {
    report.rowFlows = try harness.rowFlows()
    report.figures.append(try await harness.rowFigure())
}
if harness.wants("json") {
    report.rowFlows.append(try harness.jsonStream())
    report.figures += try await harness.jsonCoding()
    report.figures.append(try await harness.jsonElements())
}
if harness.wants("multipart") {
    report.rowFlows.append(try harness.multipartFlow())
    report.figures.append(try await harness.multipartFigure())
}
if harness.wants("signing") { report.figures += try await harness.signing() }
if harness.wants("outbox") { report.growth.append(try harness.outboxOpening()) }
if harness.wants("overhead") { report.figures += try await harness.overhead() }
if harness.wants("excerpts") { report.figures += try await harness.excerpts() }
if harness.wants("client") { report.figures += try await harness.client() }
if harness.wants("queries") { report.figures += try await harness.queries() }
if harness.wants("templates") { report.figures += try await harness.templates() }
if harness.wants("progress") { report.figures += try await harness.progress() }
if harness.wants("authentication") { report.figures += try await harness.authentication() }
if harness.wants("recordings") {
    report.rowFlows.append(try harness.archiveFlow())
    report.figures += try await harness.recordings()
}
if harness.wants("monitoring") { report.figures += try await harness.monitoring() }
if harness.wants("layers") { report.figures += try await harness.layers() }
if harness.wants("caching") { report.figures += try await harness.caching() }
if harness.wants("store") { report.figures += try await harness.store() }
if harness.wants("memory") { report.figures += try await harness.memoryStore() }
if harness.wants("decoding") { report.figures += try await harness.decodedRows() }
if harness.wants("records") { report.figures += try await harness.recordInserts() }
if harness.wants("observation") {
    report.figures += try await harness.storeObservation()
    report.lateness += try await harness.storeInterruption()
}
let overNetwork = [
    "json", "network", "streaming", "deadlines", "endurance", "queueing", "outbox", "hyperhive", "monitoring",
    "caching",
]
if overNetwork.contains(where: harness.wants) {
    let server = try ServerProcess()
    if harness.wants("queueing") { report.figures += try await harness.queueing(server) }
    if harness.wants("outbox") { report.figures += try await harness.outbox(server) }
    if harness.wants("monitoring") { report.figures.append(try await harness.monitoring(server)) }
    if harness.wants("json") { report.figures.append(try await harness.jsonTransport(server)) }
    if harness.wants("caching") { report.figures += try await harness.caching(server) }
    if harness.wants("network") {
        for inFlight in [1, 16, 64] { report.figures.append(try await harness.network(server, inFlight: inFlight)) }
    }
    if harness.wants("streaming") {
        report.flows = try await harness.streaming(server)
        report.slowReading = try await harness.slowReader(server)
        report.cancellations = try await harness.cancellations(server)
    }
    if harness.wants("endurance") { report.growth.append(try await harness.endurance(server)) }
    if harness.wants("hyperhive"), let result = try await harness.hyperHive(server) {
        report.rowFlows.append(result.flow)
        report.figures += result.figures
    }
    // Last: on Linux its endless bodies are received on, in the network queue that all requests share.
    if harness.wants("deadlines") { report.lateness += try await harness.lateness(server) }
    server.stop()
}
try report.print(asJSON: arguments.json)
