import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct PipedResponseBodyTests {
    private let pipe = ResponseBodyPipe(ResponseBodyLimits(spilling: 2))
    private let ended = Gate()
    private var writer: SpillingWriter { SpillingWriter(pipe: pipe, directory: .temporaryDirectory) }

    private var body: PipedResponseBody {
        PipedResponseBody(pipe, cancellation: TransportError(.cancelled, "x")) { [ended] in ended.open() }
    }

    @Test func `delivers the chunks, and ends the transfer when released`() async throws {
        var body: PipedResponseBody? = body
        for byte in 1...5 as ClosedRange<UInt8> { try writer.write(Data([byte])) }
        pipe.finish(nil)
        var iterator = body?.makeAsyncIterator()
        body = nil
        var all = Data()
        while let chunk = try await iterator?.next() {
            #expect(!ended.isOpen)
            all += chunk
        }
        #expect(all == Data([1, 2, 3, 4, 5]) && ended.isOpen)
        #expect(try await iterator?.next() == nil)
    }

    @Test func `releasing it unread ends the transfer and drops later chunks`() async throws {
        var body: PipedResponseBody? = body
        #expect(body != nil && !ended.isOpen)
        body = nil
        #expect(ended.isOpen)
        try writer.write(Data(count: 10))
        await #expect(throws: TransportError.self) { try await pipe.next() }
    }

    @Test(arguments: ["waiting", "working", "before"])
    func `cancelling ends the transfer while the reader waits or works`(when: String) async throws {
        for byte in 1...2 as ClosedRange<UInt8> { try writer.write(Data([byte])) }
        let isReady = Gate()
        let mayGoOn = Gate()
        let task = Task { [body] in
            var iterator = body.makeAsyncIterator()
            if when != "before" { _ = try await iterator.next() }
            if when == "waiting" { _ = try await iterator.next() }
            isReady.open()
            if when != "waiting" { try? await mayGoOn.wait() }
            return try await iterator.next()
        }
        try await isReady.wait()
        for _ in 0..<50 { await Task.yield() }
        task.cancel()
        #expect(try await transportError { try await task.value }.code == .cancelled)
        #expect(ended.isOpen)
    }
}
