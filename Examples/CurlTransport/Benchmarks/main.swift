// Measures CurlTransport, always against a baseline in the same run.

import Foundation

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
    print(Arguments.usage)
    exit(2)
}
ServerProcess.raiseFileLimit()
if arguments.serve {
    try await ServerProcess.serve()
    exit(0)
}
let harness = Harness(arguments: arguments)
let server = try ServerProcess()
var findings: [any Finding] = []
// Memory first, before other benchmarks allocate.
if harness.wants("memory") { findings.append(try await harness.memory(server)) }
if harness.wants("transfers") { findings += try await harness.transfers(server) }
if harness.wants("endurance") { findings.append(try await harness.endurance(server)) }
if harness.wants("cancellations") { findings.append(try await harness.cancellations(server)) }
if harness.wants("floor") { findings += try await harness.floor(server) }
if harness.wants("beside") { findings.append(try await harness.beside(server)) }
if harness.wants("requests") { findings += try await harness.requests(server) }
server.stop()

let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
for finding in findings {
    if arguments.json {
        print(String(decoding: try encoder.encode(finding), as: UTF8.self))
    } else {
        print(([finding.title] + finding.lines).joined(separator: "\n    "))
    }
}
