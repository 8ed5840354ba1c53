import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite("BodySpool", .needsSlot) struct BodySpoolTests {
    private func file(of spool: BodySpool) throws -> String {
        guard case .file(let source) = spool.body.source else { throw TransportError(.unknown, "No file.") }
        return source.url.path
    }

    @Test("holds the bytes of a stream, for its owner only, until it is gone") func content() async throws {
        var spool: BodySpool? = try await BodySpool(
            .sequence([.text("ab"), .stream(stream([Data("cd".utf8), Data(), Data("ef".utf8)]))]))
        let path = try file(of: try #require(spool))
        #expect(try await spool?.body.collect() == Data("abcdef".utf8))
        #expect(spool?.body.isReplayable == true && spool?.body.length == 6)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
        spool = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a length that is not true is an error", arguments: [0, 2, 4] as [Int64]) func length(length: Int64)
        async throws
    {
        let error = await #expect(throws: HTTPMessageError.self) {
            _ = try await BodySpool(.stream(stream([Data("abc".utf8)]), length: length))
        }
        #expect(error?.code == .bodyLengthMismatch)
    }

    /// Leaves a spool to a transfer.
    private func spool(_ text: String, for transfer: Transfer) async throws -> String {
        let spool = try await BodySpool(.stream(stream([Data(text.utf8)])))
        transfer.spooled(spool)
        return try file(of: spool)
    }

    /// Watches the file of the one request that is sent to a server while it is being sent.
    private func sending(
        _ plan: FaultPlan, cancel: Bool = false
    ) async throws -> (outcome: Result<HTTPResponse, any Error>, transfer: Transfer, path: String) {
        try await LoopbackServer(plan: { _ in plan }).stopping(after: { server in
            let engine = SessionEngine(.init(), timeline: Timeline(ManualClock()))
            let transfer = Transfer(
                try server.request(.post, body: .text("x")), observer: nil, deadlines: engine.deadlines)
            let path = try await spool("abc", for: transfer)
            let call = Task { try await transfer.outcome { engine.submit($0) } }
            if cancel {
                try await server.requests(count: 1)
                call.cancel()
            }
            return (await call.result, transfer, path)
        })
    }

    @Test("the file is gone when the call returns, whatever its outcome", arguments: ["success", "failure", "cancel"])
    func gone(outcome: String) async throws {
        let plan: FaultPlan =
            switch outcome {
            case "success": [.answer(by: echo)]
            case "failure": [.reset]
            default: [.stall]
            }
        let (result, transfer, path) = try await sending(plan, cancel: outcome == "cancel")
        switch (outcome, result) {
        case ("success", .success(let response)): #expect(response.body == Data("abc".utf8))
        case ("failure", .failure(let error as TransportError)): #expect(error.code == .connectionLost)
        case ("cancel", .failure(let error as TransportError)): #expect(error.code == .cancelled)
        default: Issue.record("\(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        // What comes too late is not kept either.
        let late = try await spool("late", for: transfer)
        #expect(!FileManager.default.fileExists(atPath: late))
    }
}
