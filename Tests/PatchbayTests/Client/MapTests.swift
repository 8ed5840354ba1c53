import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// Several calls at a time: `map` and `forEachResult`.
@Suite(.needsSlot) struct MapTests {
    @Test func `11: calls run N at a time, and the values are in the order of the calls`() async throws {
        let gate = Gate()
        let running = Watched((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            running.update { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            if running.value.most == 3 { gate.open() }
            try await gate.wait()
            running.update { $0.now -= 1 }
            return request.response(json: .number(Double(request.url.lastPathComponent) ?? -1))
        }
        let client = try APIClient("https://example.com", over: transport)
        var done: [Int] = []
        let values: [Int] = try await client.map((0..<20).map { .get("items/\($0)") }, inFlight: 3) { count, of in
            done.append(count)
            #expect(of == 20)
        }
        #expect(values == Array(0..<20) && running.value.most == 3 && done == Array(1...20))
    }

    @Test func `11: the first error ends all calls`() async throws {
        let arrived = Watched(0)
        let transport = ScriptedTransport { request in
            arrived.update { $0 += 1 }
            // The call that fails does so when all four are in flight.
            guard request.url.lastPathComponent == "2" else {
                try await Gate().wait()
                return request.response(json: 1)
            }
            try await arrived.wait { $0 == 4 }
            return request.response(.notFound)
        }
        let client = try APIClient("https://example.com", over: transport)
        let error = await #expect(throws: (any Error).self) {
            let _: [Int] = try await client.map((0..<20).map { .get("items/\($0)") }, inFlight: 4)
        }
        #expect(error?.httpStatus == .notFound && transport.requests.count == 4)
    }

    @Test func `11: a cancelled task gets an error, not a part of the values`() async throws {
        let client = try APIClient("https://example.com", over: ScriptedTransport([], then: .json(1)))
        let task = Task {
            let _: [Int] = try await client.map([.get("a"), .get("b")], inFlight: 1) { _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test @MainActor func `11: the closures of a batch run on the main actor if their caller does`() async throws {
        let client = try APIClient("https://example.com", over: FakeTransport { $0.response(json: 1) })
        let endpoints = (0..<20).map { EndpointRequest<Int>.get("items/\($0)") }
        var count = 0
        try await client.forEachResult(of: endpoints, inFlight: 3) { _, _ in
            MainActor.preconditionIsolated()
            count += 1
        }
        let values: [Int] = try await client.map(endpoints, inFlight: 3) { _, _ in
            MainActor.preconditionIsolated()
            count += 1
        }
        #expect(count == 40 && values.count == 20)
    }

    @Test func `11: the closures of a batch run on the actor of their caller`() async throws {
        actor Batch {
            private(set) var count = 0

            func run(_ client: APIClient) async throws {
                let endpoints = (0..<20).map { EndpointRequest<Int>.get("items/\($0)") }
                try await client.forEachResult(of: endpoints, inFlight: 3) { _, _ in
                    preconditionIsolated()
                    count += 1
                }
                let _: [Int] = try await client.map(endpoints, inFlight: 3) { _, _ in
                    preconditionIsolated()
                    count += 1
                }
            }
        }
        let batch = Batch()
        try await batch.run(APIClient("https://example.com", over: FakeTransport { $0.response(json: 1) }))
        #expect(await batch.count == 40)
    }

    @Test func `11: a batch without a type of its results has the bytes, and one of Void none`() async throws {
        let transport = FakeTransport { request in
            let isMissing = request.url.lastPathComponent == "1"
            return request.response(isMissing ? .notFound : .ok, text: request.method.name)
        }
        let client = try APIClient("https://example.com", over: transport)
        var seen: [String?] = Array(repeating: nil, count: 3)
        try await client.forEachResult(of: (0..<3).map { .delete("items/\($0)") }) { index, result in
            seen[index] = (try? result.get()).map { String(decoding: $0.body, as: UTF8.self) }
        }
        #expect(seen == ["DELETE", nil, "DELETE"])
        var failures: [Int] = []
        let calls = (0..<3).map { EndpointRequest<Void>.delete("items/\($0)") }
        try await client.forEachResult(of: calls) { index, result in
            if case .failure(let error) = result, error.httpStatus == .notFound { failures.append(index) }
        }
        #expect(failures == [1])
        try await client.map([.delete("items/2"), .put("items/3")])
        let responses = try await client.map([.delete("items/2"), .put("items/3")])
        #expect(responses.map(\.body) == [Data("DELETE".utf8), Data("PUT".utf8)])
        var done = 0
        try await client.map([EndpointRequest<Void>.delete("items/2")]) { count, _ in done = count }
        #expect(done == 1)
        let error = await #expect(throws: (any Error).self) { try await client.map(calls) }
        #expect(error?.httpStatus == .notFound)
    }
}
