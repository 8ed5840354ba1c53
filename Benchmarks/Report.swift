import Foundation

/// One thing that was measured. Its fields are what `--json` shows; the rest says the same to a reader.
protocol Finding: Codable {
    /// What was measured.
    var title: String { get }
    /// What was found.
    var lines: [String] { get }
}

/// A subject's speed beside its baseline's.
struct Figure: Finding {
    let name: String
    let baseline: String
    let secondsPerOperation: Double
    let baselineSecondsPerOperation: Double
    /// The baseline's time divided by the subject's: above 1 the subject is faster.
    let ratio: Double
    /// What a quarter of the rounds were below and what a quarter were above: on a shared machine single rounds mean
    /// little.
    let ratioMiddleHalf: [Double]

    var title: String { name }
    var lines: [String] {
        [
            "\(secondsPerOperation.asTime) each, \(secondsPerOperation.asRate) a second",
            "baseline: \(baseline), \(baselineSecondsPerOperation.asTime) each", ratioLine,
        ]
    }
    var ratioLine: String {
        let middle = ratioMiddleHalf.map { $0.text(2) }.joined(separator: " to ")
        return "ratio \(ratio.text(2)) (half of all rounds: \(middle))"
    }
}

/// What a long run leaves behind.
struct Growth: Finding {
    let name: String
    var baseline = "bare URLSession"
    let requests: Int
    let descriptors: Int
    let threads: Int
    let bytesPerRequest: Double
    let baselineBytesPerRequest: Double

    var title: String { "\(name): after \(requests) requests" }
    var lines: [String] {
        let memory = "memory \(bytesPerRequest.text(0)) bytes a request"
        return [
            "descriptors \(descriptors.signed), threads \(threads.signed), \(memory) "
                + "(\(baseline): \(baselineBytesPerRequest.text(0)))"
        ]
    }
}

/// A long transfer beside its baseline. An operation of the figure is one mebibyte.
struct Flow: Finding {
    let figure: Figure
    let bytes: Int
    /// By how much the process was larger at most while it went on.
    let growth: Int

    var title: String { "\(figure.name), \(bytes >> 20) MiB" }
    var lines: [String] {
        [
            "\(figure.secondsPerOperation.asRate) MiB a second, memory +\(growth >> 20) MiB",
            "baseline: \(figure.baseline), \(figure.baselineSecondsPerOperation.asRate) MiB a second",
            figure.ratioLine,
        ]
    }
}

/// A long transfer whose reader is a hundred times slower than the server.
struct SlowReading: Finding {
    let bytes: Int
    /// For so long; the rest is then read at once.
    let seconds: Double
    let growth: Int

    var title: String { "A reader 100 times slower than the server, \(bytes >> 20) MiB" }
    var lines: [String] { ["for \(seconds.text(0)) s: memory +\(growth >> 20) MiB"] }
}

/// Requests that were cancelled at random moments, each of them once.
struct Cancellations: Finding {
    let requests: Int
    let done: Int
    let cancelled: Int
    let failed: Int
    let seconds: Double
    /// Sockets and files that are open although the transport is gone.
    let descriptors: Int
    /// Files that nobody asked for.
    let files: Int

    var title: String { "\(requests) requests, each cancelled at a random moment, in \(seconds.text(1)) s" }
    var lines: [String] {
        [
            "done before \(done), cancelled \(cancelled), failed \(failed)",
            "left: descriptors \(descriptors.signed), files \(files)",
        ]
    }
}

extension RowFlow: Finding {
    var title: String { "\(name): \(rows) rows, \((Double(bytes) / 1e6).text(1)) MB" }
    var lines: [String] {
        let speed = "\((seconds / Double(rows)).asRate) rows a second, \((Double(bytes) / seconds / 1e6).text(0)) MB/s"
        return ["\(speed), at most \((Double(peakGrowth) / 1e6).text(1)) MB of memory"]
    }
}

/// All that was measured.
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

extension Double {
    fileprivate func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
    /// Seconds as a time.
    fileprivate var asTime: String { "\((self * 1e6).text(2)) us" }
    /// Seconds for one as how many a second that makes.
    fileprivate var asRate: String { (self > 0 ? 1 / self : 0).text(0) }
}

extension Int {
    fileprivate var signed: String { self > 0 ? "+\(self)" : "\(self)" }
}
