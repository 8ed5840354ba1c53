import Foundation
import HTTPMessages
import Testing
import Transport

@testable import CurlTransport

@Suite struct LoopContextTests {
    @Test func `the chunks of a transfer are staged, and handed over together`() async throws {
        let context = LoopContext(
            Mailbox(try #require(Wakeup())), clock: EngineClock(ContinuousClock()), codings: .system)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let pipe = ResponseBodyPipe(memoryLimit: 1 << 20) {}
        let head = try await withCheckedThrowingContinuation { continuation in
            let transfer = ActiveTransfer(
                Call(
                    Call.makeID(), request, relay: nil, body: .none,
                    target: RequestTarget(request, acceptEncoding: ""), recipient: .streamed(continuation, pipe)),
                in: context)
            transfer.started()
            for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
                #expect(Data(line.utf8).withUnsafeBytes { transfer.receiveLine($0) })
            }
            #expect(context.staged.polling() == nil)
            for text in ["one", "two"] {
                #expect(Data(text.utf8).withUnsafeBytes { transfer.receiveBody($0) } == .taken)
            }
            #expect(context.staged.polling() == .zero && context.staging.count == 1)
            #expect(context.staged.isDue(at: .now + Staging.limit))
            context.flush()
            #expect(context.staged.polling() == nil && context.staging.isEmpty)
            #expect(!context.staged.isDue(at: .now + Staging.limit))
            _ = transfer.finish(nil)
            context.deliver()
        }
        let response = pipe.response(head.head, to: request) {}
        #expect(try await response.collect().body == Data("onetwo".utf8))
    }
}
