/// A group of benchmarks that `--filter` selects. Its results are added to a report.
struct Group: Sendable {
    let name: String
    let run: @Sendable (Harness, ServerProcess?, inout Report) async throws -> Void

    /// The groups without a network, in their order: those that measure memory run before others allocate it.
    static let local: [Group] = [
        Group(name: "queueing") { harness, _, report in
            report.growth.append(try harness.waitingMemory())
            report.figures += try await harness.queueing()
        },
        Group(name: "rows") { harness, _, report in
            report.rowFlows += try harness.rowFlows()
            report.figures.append(try await harness.rowFigure())
        },
        Group(name: "json") { harness, _, report in
            report.rowFlows.append(try harness.jsonStream())
            report.figures += try await harness.jsonCoding()
            report.figures.append(try await harness.jsonElements())
        },
        Group(name: "multipart") { harness, _, report in
            report.rowFlows.append(try harness.multipartFlow())
            report.figures.append(try await harness.multipartFigure())
        },
        figures("signing") { try await $0.signing() },
        Group(name: "outbox") { harness, _, report in report.growth.append(try harness.outboxOpening()) },
        figures("overhead") { try await $0.overhead() },
        figures("excerpts") { try await $0.excerpts() },
        figures("client") { try await $0.client() },
        figures("queries") { try await $0.queries() },
        figures("templates") { try await $0.templates() },
        figures("progress") { try await $0.progress() },
        figures("authentication") { try await $0.authentication() },
        Group(name: "recordings") { harness, _, report in
            report.rowFlows.append(try harness.archiveFlow())
            report.figures += try await harness.recordings()
        },
        figures("monitoring") { try await $0.monitoring() },
        figures("layers") { try await $0.layers() },
        figures("caching") { try await $0.caching() },
        Group(name: "large-cache") { harness, _, report in report.pauses += try await harness.largeCache() },
        figures("store") { try await $0.store() },
        figures("memory") { try await $0.memoryStore() },
        figures("decoding") { try await $0.decodedRows() },
        figures("records") { try await $0.recordInserts() },
        Group(name: "observation") { harness, _, report in
            report.figures += try await harness.storeObservation()
            report.lateness += try await harness.storeInterruption()
        },
        Group(name: "scaling") { harness, _, report in report.series += try await harness.scaling() },
    ]

    /// The groups that send requests to the server process.
    static let network: [Group] = [
        overNetwork("queueing") { try await $0.queueing($1) },
        overNetwork("outbox") { try await $0.outbox($1) },
        overNetwork("continued") { try await $0.continuedTransfers($1) },
        overNetwork("monitoring") { [try await $0.monitoring($1)] },
        overNetwork("json") { [try await $0.jsonTransport($1)] },
        overNetwork("caching") { try await $0.caching($1) },
        overNetwork("network") { harness, server in
            var figures: [Figure] = []
            for inFlight in [1, 16, 64] { figures.append(try await harness.network(server, inFlight: inFlight)) }
            return figures
        },
        Group(name: "streaming") { harness, server, report in
            guard let server else { return }
            report.flows += try await harness.streaming(server)
            report.slowReading = try await harness.slowReader(server)
            report.cancellations = try await harness.cancellations(server)
        },
        Group(name: "endurance") { harness, server, report in
            guard let server else { return }
            report.growth.append(try await harness.endurance(server))
        },
        Group(name: "hyperhive") { harness, server, report in
            guard let server, let result = try await harness.hyperHive(server) else { return }
            report.rowFlows.append(result.flow)
            report.figures += result.figures
        },
        // Last: on Linux its endless bodies are received on, in the network queue that all requests share.
        Group(name: "deadlines") { harness, server, report in
            guard let server else { return }
            report.lateness += try await harness.lateness(server)
        },
    ]

    /// The names of all groups.
    static var names: [String] {
        (local + network).map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func figures(
        _ name: String, _ measure: @escaping @Sendable (Harness) async throws -> [Figure]
    ) -> Group {
        Group(name: name) { harness, _, report in report.figures += try await measure(harness) }
    }

    private static func overNetwork(
        _ name: String, _ measure: @escaping @Sendable (Harness, ServerProcess) async throws -> [Figure]
    ) -> Group {
        Group(name: name) { harness, server, report in
            guard let server else { return }
            report.figures += try await measure(harness, server)
        }
    }
}

extension Harness {
    /// Runs the groups that the arguments select.
    func run() async throws -> Report {
        var report = Report()
        for group in Group.local where wants(group.name) {
            try await group.run(self, nil, &report)
            report.nameGroup(group.name)
        }
        let network = Group.network.filter { wants($0.name) }
        guard !network.isEmpty else { return report }
        let server = try ServerProcess()
        defer { server.stop() }
        for group in network {
            try await group.run(self, server, &report)
            report.nameGroup(group.name)
        }
        return report
    }
}
