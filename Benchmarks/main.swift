// Measures speed and memory, always against a baseline in the same run.

import Foundation

let arguments: Arguments
do {
    arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("\(error)\n\n\(Arguments.usage)")
    exit(2)
}
if arguments.serve {
    try await ServerProcess.serve()
    exit(0)
}
let harness = Harness(arguments: arguments)
let bands: BandFile?
do {
    bands = try arguments.bands.map { try BandFile(path: $0, use: arguments.bandUse, harness: harness) }
} catch {
    print(error)
    exit(2)
}
let report = try await harness.run()
try report.print(as: arguments.format)
if let path = arguments.chart { try FigureChart(report.ratios).write(to: path) }
if let bands, try await !bands.accept(report, of: harness) { exit(1) }
