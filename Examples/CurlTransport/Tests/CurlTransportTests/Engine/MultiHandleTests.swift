import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import CurlTransport

@Suite(.needsSlot) struct MultiHandleTests {
    // Until then libcurl may close the socket, and give its number to the connection of another transfer.
    @Test func `tasks send to a connection themselves once libcurl has found it again`() async throws {
        let server = try LoopbackServer(connections: { connection in connection.stall() })
        try await server.stopping { server in
            let library = try CurlLibrary.system.get()
            let mailbox = Mailbox(try #require(Wakeup()))
            let context = LoopContext(mailbox, clock: EngineClock(ContinuousClock()), codings: .system)
            let multi = try #require(
                MultiHandle(library, CurlTransport.NetworkOptions(proxy: .none), maximumConnections: 1))
            let request = try HTTPRequest(.get, server.url)
            let pipe = SocketPipe()
            _ = try await withCheckedThrowingContinuation { continuation in
                let call = Call(
                    Call.makeID(), request, relay: nil, body: .none,
                    target: RequestTarget(request, acceptEncoding: ""), recipient: .connected(continuation, pipe))
                let transfer = ActiveTransfer(call, in: context)
                connect(transfer, multi, mailbox, library)
                #expect(transfer.finish(nil))
                context.deliver()
            }
            try await pipe.write(Data("a".utf8)) { _ in }
            #expect(pipe.takeOutgoing() == Data("a".utf8))
            pipe.sent(1)
            multi.beginRound()
            try await pipe.write(Data("b".utf8)) { _ in }
            #expect(pipe.takeOutgoing() == nil)
            multi.disconnectAll(.shutDown())
            #expect(multi.connected.isEmpty)
        }
    }

    /// As the event loop connects a transfer, up to the end of its round.
    private func connect(
        _ transfer: ActiveTransfer, _ multi: MultiHandle, _ mailbox: Mailbox, _ library: CurlLibrary
    ) {
        guard let handle = multi.makeHandle(mayUseTLS: false),
            handle.configure(for: transfer, standardLines: nil, connection: .own), multi.add(handle) == 0
        else {
            Issue.record("no handle")
            return
        }
        transfer.handle = handle
        transfer.started()
        var code: CInt?
        while code == nil {
            multi.runTimer()
            multi.wait(mailbox, atMost: .milliseconds(100))
            code = multi.nextEnded()?.code
        }
        #expect(code == 0 && transfer.connected(with: handle, in: multi))
        transfer.networkEnded(nil, metrics: handle.metrics)
        transfer.handle = nil
    }
}
