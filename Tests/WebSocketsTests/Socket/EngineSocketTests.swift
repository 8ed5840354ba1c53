import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import WebSockets

/// Sockets whose engine frames the messages.
@Suite(.needsSlot) struct EngineSocketTests {
    private let connection = FramingConnection()

    private func open(_ change: (inout WebSocketOptions) -> Void = { _ in }) async throws -> WebSocket {
        try await Peer.transport(over: .webSocket(connection)).webSocket(
            HTTPRequest(.get, "https://example.com/"),
            options: WebSocketOptions {
                $0.pingInterval = nil
                change(&$0)
            })
    }

    private static let ends: [(closeCode: Int?, error: WebSocketError.Code?)] = [
        (1000, nil), (1001, nil), (1011, .closedByPeer), (4001, .closedByPeer), (nil, .connectionLost),
    ]

    @Test(arguments: ends.indices) func `messages arrive in order, and a problem at their end is thrown once`(
        index: Int
    )
        async throws
    {
        let (closeCode, error) = Self.ends[index]
        let socket = try await open()
        connection.closeFrame.update { $0 = closeCode.map { ($0, Data("done".utf8)) } }
        connection.incoming.update { $0 = [.text("A"), .binary(Data("B".utf8)), nil] }
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == .text("A"))
        #expect(try await reader.next() == .binary(Data("B".utf8)))
        if let error { #expect(await code { _ = try await reader.next() } == error) }
        for _ in 0..<2 { #expect(try await reader.next() == nil) }
        #expect(socket.failure?.code == error)
        #expect(socket.closure?.code == WebSocketCloseCode(UInt16(closeCode ?? 1006)))
        if error == nil { #expect(socket.closure?.reason == "done" && socket.closure?.isLocal == false) }
    }

    @Test func `a message over the limit ends the connection, and is thrown once`() async throws {
        let socket = try await open { $0.maximumMessageBytes = 3 }
        connection.incoming.update { $0 = [.text("abc"), .text("abcd"), .text("x")] }
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == .text("abc"))
        #expect(await code { _ = try await reader.next() } == .messageTooLarge)
        #expect(try await reader.next() == nil)
        #expect(connection.closeCodes.value == [1009] && socket.failure?.closeCode == .messageTooLarge)
    }

    @Test(arguments: [true, false])
    func `cancelling the reader closes the connection, also while messages wait`(areWaiting: Bool) async throws {
        let socket = try await open()
        if areWaiting { connection.incoming.update { $0 = [.text("A"), .text("B")] } }
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var reader = socket.messages.makeAsyncIterator()
            #expect(await code { _ = try await reader.next() } == .cancelled)
            return try await reader.next()
        }
        #expect(try await reader.value == nil)
        #expect(connection.closeCodes.value == [1001] && socket.failure?.code == .cancelled)
    }

    @Test func `closing ends the messages, and drops what arrives meanwhile`() async throws {
        let socket = try await open()
        let reader = Task {
            var reader = socket.messages.makeAsyncIterator()
            return [try await reader.next(), try await reader.next()]
        }
        _ = try await connection.receiveCount.wait { $0 == 1 }
        #expect(try await socket.close() == WebSocketClosure(code: .normal, isLocal: true))
        connection.incoming.update { $0 = [.text("A"), .text("B")] }
        #expect(try await reader.value == [nil, nil])
        #expect(connection.closeCodes.value == [1000])
        #expect(await code { try await socket.send(.text("late")) } == .closed)
    }
}
