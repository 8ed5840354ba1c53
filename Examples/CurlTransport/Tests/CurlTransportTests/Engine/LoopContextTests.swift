import HTTPMessages
import Testing
import Transport

@testable import CurlTransport

@Suite struct LoopContextTests {
    @Test func `chunks wait for a limited number of rounds, so that a fast transfer does not hold up a slow one`()
        async throws
    {
        let context = LoopContext(
            Mailbox(try #require(Wakeup())), clock: EngineClock(ContinuousClock()), codings: .system)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let error = await transportError {
            _ = try await withCheckedThrowingContinuation { continuation in
                let transfer = ActiveTransfer(
                    Call(
                        Call.makeID(), request, relay: nil, body: .none,
                        target: RequestTarget(request, acceptEncoding: ""),
                        recipient: .streamed(continuation, ResponseBodyPipe(memoryLimit: 1) {})), in: context)
                #expect(!context.mayStageMore())
                for _ in 0..<2 {
                    context.staging.append(transfer)
                    #expect(
                        (0..<9).map { _ in context.mayStageMore() } == Array(repeating: true, count: 7) + [
                            false, false,
                        ])
                    context.flush()
                    #expect(!context.mayStageMore())
                }
                _ = transfer.finish(.cancelled(request))
            }
        }
        #expect(error?.code == .cancelled)
    }
}
