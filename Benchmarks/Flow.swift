import HTTPMessages
import Transport

extension Harness {
    /// Measures a transfer: its memory, then its speed beside a baseline.
    func flow(
        _ name: String, _ size: Int, against baselineName: String, subject: () async throws -> Void,
        baseline: () async throws -> Void
    ) async throws -> Flow {
        // First, before other allocations hide the growth.
        Usage.resetPeak()
        let before = Usage.now.bytes
        try await subject()
        let growth = Usage.peak - before
        let figure = try await compare(
            name, operations: size >> 20, against: baselineName, rounds: min(rounds, 5), subject: subject,
            baseline: baseline)
        return Flow(figure: figure, bytes: size, growth: growth)
    }

    /// Reads a body to its end on the concurrent pool, as a server does.
    ///
    /// A reader on the main actor costs a further switch of threads each time it is woken.
    /// - Throws: `truncated` unless all bytes were received.
    @concurrent static func read(_ response: HTTPResponseStream, expecting size: Int) async throws {
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        try check(count, size)
    }

    /// - Throws: `truncated` unless all bytes were transferred.
    static func check(_ count: Int?, _ size: Int) throws {
        guard count == size else { throw TransportError(.truncated, "\(count ?? -1) of \(size) bytes received.") }
    }
}
