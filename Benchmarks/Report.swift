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
    var series: [Series] = []
    var growth: [Growth] = []
    var rowFlows: [RowFlow] = []
    var flows: [Flow] = []
    var lateness: [Lateness] = []
    var pauses: [Pauses] = []
    var slowReading: SlowReading?
    var cancellations: Cancellations?

    private var findings: [any Finding] {
        let groups: [[any Finding]] = [figures, rowFlows, series, growth, flows, lateness, pauses]
        let single: [(any Finding)?] = [slowReading, cancellations]
        return groups.joined() + single.compactMap(\.self)
    }

    /// All comparisons of speed, those of long transfers included.
    var ratios: [Figure] { figures + flows.map(\.figure) }

    /// Names the group of all ratios that have none.
    mutating func nameGroup(_ name: String) {
        for index in figures.indices where figures[index].group.isEmpty { figures[index].group = name }
        for index in flows.indices where flows[index].figure.group.isEmpty { flows[index].figure.group = name }
    }

    func print(as format: Arguments.Format) throws {
        switch format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
        case .table: Swift.print(FigureTable(ratios, others: findings.filter { !($0 is Figure || $0 is Flow) }).text)
        case .text:
            for finding in findings { Swift.print(([finding.title] + finding.lines).joined(separator: "\n    ")) }
        }
    }
}
