import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct RetryTests {
    private let options = HyperHiveCallOptions(retryCount: 2, retryInterval: .seconds(10))

    @Test func `HyperHive 15: retries wait for the interval, and are counted in the envelope`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.inject(.status(.serviceUnavailable), count: 2)
            async let sync = hive.sync(options: options)
            for attempt in 1...2 {
                try await hive.clock.wait { $0.contains { $0.offset == .seconds(10 * attempt) } }
                #expect(hive.service.counts.requests(to: .resource) == attempt)
                await hive.clock.advance(by: .seconds(10))
            }
            let result = try await sync.result
            #expect(result.status == .ok && result.retryCount == 2 && result.response?.status == 200)
            #expect(result.request.retryCount == 2 && result.request.retryIntervalSec == 10)
        }
    }

    @Test func `HyperHive 15: the last error is returned after all retries`() async throws {
        try await Hive.serving(options: { $0.retryCount = 3 }) { hive in
            try await hive.prepare()
            hive.service.inject(.status(.badGateway), count: 4)
            let error = try #require(await hive.syncError())
            #expect(error.code == .status && error.result.retryCount == 3 && error.result.errors.first?.code == 502)
            #expect(hive.service.counts.requests(to: .resource) == 4)
        }
    }

    @Test(arguments: [HTTPStatus.unauthorized, .notFound, .conflict, .internalServerError])
    func `HyperHive 15: no retry of other statuses`(status: HTTPStatus) async throws {
        try await Hive.serving(options: { $0.retryCount = 3 }) { hive in
            try await hive.prepare()
            hive.service.inject(.status(status))
            let error = try #require(await hive.syncError())
            #expect(error.result.errors.first?.code == status.code && error.result.retryCount == 0)
            #expect(hive.service.counts.requests(to: .resource) == 1)
        }
    }

    @Test(arguments: [HTTPStatus.badGateway, .serviceUnavailable, .gatewayTimeout])
    func `HyperHive 15: a POST that a server may run twice is not repeated for a status`(
        status: HTTPStatus
    ) async throws {
        let configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        for id in [nil, UUID().uuidString] {
            let transport = ScriptedTransport([.status(status)], then: .text("[]"))
            let client = HyperHive(configuration, transport: transport, options: HyperHiveOptions(retryCount: 1))
            let options = HyperHiveCallOptions(transactionID: id)
            if id == nil {
                let error = await #expect(throws: HyperHiveError.self) {
                    try await client.request("ORDER", body: Data("{}".utf8), options: options)
                }
                #expect(error?.code == .status && error?.result.retryCount == 0)
            } else {
                _ = try await client.request("ORDER", body: Data("{}".utf8), options: options)
            }
            #expect(transport.requests.count == (id == nil ? 1 : 2))
        }
        // A sign-in and a list of transactions only read.
        let transport = ScriptedTransport(
            [.status(status), .json(["token": "t"]), .status(status)], then: .json([]))
        let client = HyperHive(configuration, transport: transport, options: HyperHiveOptions(retryCount: 1))
        try await client.signIn("ann", password: "open sesame")
        #expect(try await client.transactions(of: "ORDER").isEmpty && transport.requests.count == 4)
    }

    @Test func `HyperHive 15: a cut response is requested again with a transaction ID only`() async throws {
        try await Hive.serving(options: { $0.retryCount = 1 }) { hive in
            try await hive.prepare()
            hive.service.inject(.cut(afterBytes: 20))
            let error = try #require(await hive.syncError())
            #expect(error.code == .transport && error.result.retryCount == 0)
            hive.service.inject(.cut(afterBytes: 20))
            let id = UUID().uuidString
            let sync = try await hive.sync(options: HyperHiveCallOptions(transactionID: id))
            #expect(sync.result.retryCount == 1 && sync.upserts == 4)
            #expect(hive.sent("X-Transaction-ID") == [nil, id, id])
        }
    }

    @Test func `HyperHive 15: the full load after a gap has no transaction ID, so it is not retried when cut`()
        async throws
    {
        try await Hive.serving(options: { $0.retryCount = 1 }) { hive in
            try await hive.prepare()
            try await hive.sync()
            try hive.service.change("FRUITS", delete: [101])
            hive.service.inject(.wrongBase(by: 1))
            hive.service.inject(.cut(afterBytes: 20))
            let id = UUID().uuidString
            let error = try #require(
                await hive.syncError(options: HyperHiveCallOptions(transactionID: id, retryCount: 1)))
            #expect(hive.sent("X-Transaction-ID") == [nil, id, nil])
            #expect(error.code == .transport && error.result.retryCount == 0)
            // The envelope is about the request that was sent last.
            #expect(error.result.request.transactionID == nil)
            #expect(error.result.json["request"]?["transactionId"] == nil)
        }
    }

    @Test func `HyperHive 16: cancellation during the wait ends the call`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.inject(.status(.serviceUnavailable))
            let load = Task { await hive.syncError(options: options) }
            try await hive.clock.wait { $0.contains { $0.offset == .seconds(10) } }
            load.cancel()
            #expect(await load.value?.result.status == .cancel)
        }
    }
}
