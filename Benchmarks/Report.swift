import Foundation

/// A subject's speed beside its baseline's.
struct Figure: Codable {
    let name: String
    let baseline: String
    let secondsPerOperation: Double
    let baselineSecondsPerOperation: Double
    /// The baseline's time divided by the subject's: above 1 the subject is faster.
    let ratio: Double
    /// What a quarter of the rounds were below and what a quarter were above: on a shared machine single rounds mean
    /// little.
    let ratioMiddleHalf: [Double]
}

/// What a long run leaves behind.
struct Growth: Codable {
    let name: String
    var baseline = "bare URLSession"
    let requests: Int
    let descriptors: Int
    let threads: Int
    let bytesPerRequest: Double
    let baselineBytesPerRequest: Double
}

/// A long transfer beside its baseline. An operation of the figure is one mebibyte.
struct Flow: Codable {
    let figure: Figure
    let bytes: Int
    /// By how much the process was larger at most while it went on.
    let growth: Int
}

/// A long transfer whose reader is a hundred times slower than the server.
struct SlowReading: Codable {
    let bytes: Int
    /// For so long; the rest is then read at once.
    let seconds: Double
    let growth: Int
}

/// Requests that were cancelled at random moments, each of them once.
struct Cancellations: Codable {
    let requests: Int
    let done: Int
    let cancelled: Int
    let failed: Int
    let seconds: Double
    /// Sockets and files that are open although the transport is gone.
    let descriptors: Int
    /// Files that nobody asked for.
    let files: Int
}

/// All that was measured.
struct Report: Codable {
    var figures: [Figure] = []
    var growth: [Growth] = []
    var rowFlows: [RowFlow] = []
    var flows: [Flow] = []
    var slowReading: SlowReading?
    var cancellations: Cancellations?

    func print(asJSON: Bool) throws {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
            return
        }
        for figure in figures {
            Swift.print(
                """
                \(figure.name)
                    \(time(figure.secondsPerOperation)) each, \(rate(figure.secondsPerOperation)) a second
                    baseline: \(figure.baseline), \(time(figure.baselineSecondsPerOperation)) each
                    \(ratio(of: figure))
                """)
        }
        for flow in rowFlows {
            let megabytes = text(Double(flow.bytes) / flow.seconds / 1e6, digits: 0)
            Swift.print(
                """
                \(flow.name): \(flow.rows) rows, \(text(Double(flow.bytes) / 1e6, digits: 1)) MB
                    \(rate(flow.seconds / Double(flow.rows))) rows a second, \(megabytes) MB/s, \
                at most \(text(Double(flow.peakGrowth) / 1e6, digits: 1)) MB of memory
                """)
        }
        for growth in growth {
            Swift.print(
                """
                \(growth.name): after \(growth.requests) requests
                    descriptors \(signed(growth.descriptors)), threads \(signed(growth.threads)), \
                memory \(text(growth.bytesPerRequest, digits: 0)) bytes a request \
                (\(growth.baseline): \(text(growth.baselineBytesPerRequest, digits: 0)))
                """)
        }
        printStreaming()
    }

    private func printStreaming() {
        for flow in flows {
            let figure = flow.figure
            Swift.print(
                """
                \(figure.name), \(flow.bytes >> 20) MiB
                    \(rate(figure.secondsPerOperation)) MiB a second, memory +\(flow.growth >> 20) MiB
                    baseline: \(figure.baseline), \(rate(figure.baselineSecondsPerOperation)) MiB a second
                    \(ratio(of: figure))
                """)
        }
        if let slowReading {
            Swift.print(
                """
                A reader 100 times slower than the server, \(slowReading.bytes >> 20) MiB
                    for \(text(slowReading.seconds, digits: 0)) s: memory +\(slowReading.growth >> 20) MiB
                """)
        }
        if let cancellations {
            Swift.print(
                """
                \(cancellations.requests) requests, each cancelled at a random moment, in \
                \(text(cancellations.seconds, digits: 1)) s
                    done before \(cancellations.done), cancelled \(cancellations.cancelled), \
                failed \(cancellations.failed)
                    left: descriptors \(signed(cancellations.descriptors)), files \(cancellations.files)
                """)
        }
    }

    private func ratio(of figure: Figure) -> String {
        let middle = figure.ratioMiddleHalf.map { text($0, digits: 2) }.joined(separator: " to ")
        return "ratio \(text(figure.ratio, digits: 2)) (half of all rounds: \(middle))"
    }

    private func time(_ seconds: Double) -> String { "\(text(seconds * 1e6, digits: 2)) us" }
    private func rate(_ seconds: Double) -> String { text(seconds > 0 ? 1 / seconds : 0, digits: 0) }
    private func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }
    private func text(_ number: Double, digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
