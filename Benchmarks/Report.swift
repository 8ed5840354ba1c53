import Foundation

extension RowFlow: Finding {
    var title: String { "\(name): \(rows) rows, \((Double(bytes) / 1e6).text(1)) MB" }
    var lines: [String] {
        let speed = "\((seconds / Double(rows)).asRate) rows a second, \((Double(bytes) / seconds / 1e6).text(0)) MB/s"
        return ["\(speed), at most \((Double(peakGrowth) / 1e6).text(1)) MB of memory"]
    }
}

/// All results.
struct Report: Codable {
    var figures: [Figure] = []
    var growth: [Growth] = []
    var rowFlows: [RowFlow] = []
    var flows: [Flow] = []
    var lateness: [Lateness] = []
    var slowReading: SlowReading?
    var cancellations: Cancellations?

    private var findings: [any Finding] {
        let groups: [[any Finding]] = [figures, rowFlows, growth, flows, lateness]
        let single: [(any Finding)?] = [slowReading, cancellations]
        return groups.joined() + single.compactMap(\.self)
    }

    func print(asJSON: Bool) throws {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
        } else {
            for finding in findings {
                Swift.print(([finding.title] + finding.lines).joined(separator: "\n    "))
            }
        }
    }
}
