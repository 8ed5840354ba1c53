import Foundation

/// A result. Its fields are the output of `--json`; title and lines are the text output.
protocol Finding: Codable {
    /// The name of the measurement.
    var title: String { get }
    /// The values.
    var lines: [String] { get }
}

/// The speed of a subject and of its baseline.
struct Figure: Finding {
    let name: String
    let baseline: String
    let secondsPerOperation: Double
    let baselineSecondsPerOperation: Double
    /// Baseline time divided by subject time: above 1, the subject is faster.
    let ratio: Double
    /// The first and third quartile of the ratios; single rounds mean little on a shared machine.
    let ratioMiddleHalf: [Double]
    /// The name of the group that it was measured in.
    var group = ""

    var title: String { name }
    var lines: [String] {
        [
            "\(secondsPerOperation.asTime) each, \(secondsPerOperation.asRate) a second",
            "baseline: \(baseline), \(baselineSecondsPerOperation.asTime) each", ratioLine,
        ]
    }
    var ratioLine: String {
        let middle = ratioMiddleHalf.map(\.asRatio).joined(separator: " to ")
        return "ratio \(ratio.asRatio) (half of all rounds: \(middle))"
    }
}

/// The resource growth of a long run.
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

/// The throughput of a long transfer and of its baseline. One operation of the figure is one mebibyte.
struct Flow: Finding {
    var figure: Figure
    let bytes: Int
    /// The peak growth of memory during the transfer, in bytes.
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
    /// The duration of slow reading; the rest is then read at full speed.
    let seconds: Double
    let growth: Int

    var title: String { "A reader 100 times slower than the server, \(bytes >> 20) MiB" }
    var lines: [String] { ["for \(seconds.text(0)) s: memory +\(growth >> 20) MiB"] }
}

/// Outcomes of requests cancelled at random moments.
struct Cancellations: Finding {
    let requests: Int
    let done: Int
    let cancelled: Int
    let failed: Int
    let seconds: Double
    /// The file descriptors left open after the transport is released.
    let descriptors: Int
    /// The temporary files left.
    let files: Int

    var title: String { "\(requests) requests, each cancelled at a random moment, in \(seconds.text(1)) s" }
    var lines: [String] {
        [
            "done before \(done), cancelled \(cancelled), failed \(failed)",
            "left: descriptors \(descriptors.signed), files \(files)",
        ]
    }
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
    /// Two decimals; three significant digits of a ratio below 0.1.
    var asRatio: String { abs(self) < 0.1 ? String(format: "%.3g", self) : text(2) }
    /// Seconds as microseconds text.
    var asTime: String { "\((self * 1e6).text(2)) us" }
    /// Seconds per operation as operations per second.
    var asRate: String { (self > 0 ? 1 / self : 0).text(0) }
}

extension Int {
    var signed: String { self > 0 ? "+\(self)" : "\(self)" }
}
