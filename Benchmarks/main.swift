// Speed and growth, always beside a baseline that is measured in the same run.

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
// First, while the memory is still untouched.
if harness.wants("rows") {
    report.flows = try harness.rowFlows()
    report.figures.append(try await harness.rowFigure())
}
if harness.wants("overhead") { report.figures += try await harness.overhead() }
if harness.wants("store") { report.figures += try await harness.store() }
if harness.wants("network") || harness.wants("endurance") {
    let server = try ServerProcess()
    if harness.wants("network") {
        for inFlight in [1, 16, 64] { report.figures.append(try await harness.network(server, inFlight: inFlight)) }
    }
    if harness.wants("endurance") { report.growth.append(try await harness.endurance(server)) }
    server.stop()
}
try report.print(asJSON: arguments.json)
