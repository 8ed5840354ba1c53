import Foundation

/// A subject's speed beside its baseline's.
struct Figure: Codable {
    let name: String
    let baseline: String
    let secondsPerOperation: Double
    let baselineSecondsPerOperation: Double
    /// The baseline's time divided by the subject's: above 1 the subject is faster.
    let ratio: Double
    let ratioRange: [Double]
}

/// What a long run leaves behind.
struct Growth: Codable {
    let name: String
    let requests: Int
    let descriptors: Int
    let threads: Int
    let bytesPerRequest: Double
    let baselineBytesPerRequest: Double
}

/// All that was measured.
struct Report: Codable {
    var figures: [Figure] = []
    var growth: [Growth] = []
    var flows: [Flow] = []

    func print(asJSON: Bool) throws {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
            return
        }
        for figure in figures {
            let spread = figure.ratioRange.map { text($0, digits: 2) }.joined(separator: " to ")
            Swift.print(
                """
                \(figure.name)
                    \(time(figure.secondsPerOperation)) each, \(rate(figure.secondsPerOperation)) a second
                    baseline: \(figure.baseline), \(time(figure.baselineSecondsPerOperation)) each
                    ratio \(text(figure.ratio, digits: 2)) (\(spread))
                """)
        }
        for flow in flows {
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
                (bare URLSession: \(text(growth.baselineBytesPerRequest, digits: 0)))
                """)
        }
    }

    private func time(_ seconds: Double) -> String { "\(text(seconds * 1e6, digits: 2)) us" }
    private func rate(_ seconds: Double) -> String { text(seconds > 0 ? 1 / seconds : 0, digits: 0) }
    private func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }
    private func text(_ number: Double, digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
