import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

@testable import WebSockets

@Suite(.needsSlot) struct WebSocketConnectionsTests {
    private let policy = ReconnectionPolicy(initialBackoff: .milliseconds(100), jitter: 0, maximumFailures: 3)

    @Test func `a lost socket is followed by another one, until this side closes`() async throws {
        let transport = FakeTransport { request in
            let peer = WebSocketPeer { peer in
                try await peer.send(.text("A"))
                peer.cut()
            }
            return try peer.response(to: request)
        }
        let clock = ManualClock()
        let (texts, sockets) = try await clock.autoAdvancing {
            var (texts, sockets): ([WebSocketMessage], Int) = ([], 0)
            for try await socket in transport.webSockets(
                try HTTPRequest(.get, "https://example.com/"), options: .quiet, reconnecting: policy, clock: clock)
            {
                sockets += 1
                for try await message in socket.messages { texts.append(message) }
                if sockets == 10 { break }
                #expect(socket.failure?.code == .connectionLost)
            }
            return (texts, sockets)
        }
        // Each has delivered a message, so that none of the failures is one in a row.
        #expect(sockets == 10 && texts == Array(repeating: .text("A"), count: 10))
    }

    @Test func `failures in a row end the sequence`() async throws {
        let transport = FakeTransport { throw TransportError(.connectionRefused, "Connection refused.", request: $0) }
        let clock = ManualClock()
        let error = await #expect(throws: WebSocketError.self) {
            try await clock.autoAdvancing {
                for try await _ in transport.webSockets(
                    try HTTPRequest(.get, "https://example.com/"), reconnecting: policy, clock: clock)
                {}
            }
        }
        #expect(error?.code == .tooManyFailures && error?.underlying is TransportError)
    }

    @Test func `a refused handshake is final, unless the policy retries its status`() async throws {
        let transport = FakeTransport { $0.response(.serviceUnavailable) }
        let clock = ManualClock()
        for (statuses, expected): (Set<HTTPStatus>, WebSocketError.Code) in [
            ([], .handshakeRefused), ([.serviceUnavailable], .tooManyFailures),
        ] {
            var policy = policy
            policy.retryableStatuses = statuses
            let error = await #expect(throws: WebSocketError.self) {
                try await clock.autoAdvancing {
                    for try await _ in transport.webSockets(
                        try HTTPRequest(.get, "https://example.com/"), reconnecting: policy, clock: clock)
                    {}
                }
            }
            #expect(error?.code == expected)
        }
    }

    @Test func `a socket is not opened again as the next user`() async throws {
        let user = Watched("ann")
        let credentials = CredentialCache(BearerAuthorizer { try OAuthToken(user.value) })
        let transport = FakeTransport { try WebSocketPeer { $0.cut() }.response(to: $0) }
            .authorizing(with: credentials, at: try AllowedOrigins("https://example.com"))
        let (clock, sockets) = (ManualClock(), Watched(0))
        let error = await #expect(throws: AuthenticationError.self) {
            try await clock.autoAdvancing {
                for try await socket in transport.webSockets(
                    try HTTPRequest(.get, "https://example.com/"), options: .quiet, reconnecting: policy, clock: clock)
                {
                    for try await _ in socket.messages {}
                    sockets.update { $0 += 1 }
                    user.update { $0 = "bob" }
                    credentials.removeAll()
                }
            }
        }
        #expect(error?.code == .signedOut && sockets.value == 1)
    }

    @Test func `closing a socket whose network is dead ends the sequence`() async throws {
        let (client, _) = MemoryConnection.pair()
        let transport = RecordingTransport(base: Peer.transport(over: .bytes(client)))
        let (clock, done) = (ManualClock(), Gate())
        var sockets = 0
        for try await socket in transport.webSockets(
            try HTTPRequest(.get, "https://example.com/"), reconnecting: policy, clock: clock)
        {
            sockets += 1
            if sockets == 2 { break }
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(30))
            _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
            // Between a ping and its timeout.
            await clock.advance(by: .seconds(15))
            async let closure = socket.close()
            _ = try await clock.wait { $0.contains { $0.offset == .seconds(55) } }
            Task { try await clock.autoAdvancing { try await done.wait() } }
            #expect(try await closure.isLocal)
        }
        done.open()
        #expect(sockets == 1 && transport.exchanges.count == 1)
    }

    @Test func `closing a socket in another task ends the sequence, also before the peer has responded`() async throws {
        let (client, _) = MemoryConnection.pair()
        let transport = RecordingTransport(base: Peer.transport(over: .bytes(client)))
        let (clock, done) = (ManualClock(), Gate())
        var sockets = 0
        for try await socket in transport.webSockets(
            try HTTPRequest(.get, "https://example.com/"), options: .quiet, reconnecting: policy, clock: clock)
        {
            sockets += 1
            if sockets == 2 { break }
            let closing = Task { try await socket.close() }
            for try await _ in socket.messages {}
            Task {
                try await clock.autoAdvancing {
                    #expect(try await closing.value.isLocal)
                    try await done.wait()
                }
            }
        }
        done.open()
        #expect(sockets == 1 && transport.exchanges.count == 1)
    }

    @Test func `closing a socket ends the sequence`() async throws {
        let transport = FakeTransport { try WebSocketPeer().response(to: $0) }
        var sockets = 0
        for try await socket in transport.webSockets(
            try HTTPRequest(.get, "https://example.com/"), options: .quiet, reconnecting: policy)
        {
            sockets += 1
            try await socket.close()
        }
        #expect(sockets == 1)
    }
}
