import Testing

@testable import CurlTransport

@Suite struct StagingTests {
    private let start = ContinuousClock.now

    @Test func `a few bytes wait only for what is there already`() {
        var staging = Staging()
        #expect(staging.polling() == nil && !staging.isDue(at: start))
        staging.add(Staging.fast - 1, at: start)
        #expect(staging.polling() == .zero)
        staging.handedOver()
        #expect(staging.polling() == nil)
    }

    @Test func `chunks are due after a limited time, so that a fast transfer does not hold up a slow one`() {
        var staging = Staging()
        staging.add(1, at: start)
        staging.add(Staging.fast, at: start + .microseconds(499))
        #expect(!staging.isDue(at: start + .microseconds(499)) && staging.isDue(at: start + .microseconds(500)))
        staging.handedOver()
        #expect(!staging.isDue(at: start + .seconds(1)))
    }

    @Test func `a fast transfer is polled for, also after its chunks were handed over`() {
        var staging = Staging()
        staging.add(Staging.fast, at: start)
        for _ in 0..<3 {
            #expect(staging.polling() == Staging.poll)
            staging.polled(for: Staging.poll, found: true)
            staging.handedOver()
        }
    }

    @Test func `after polls that find nothing, the next ones are left out, up to a limit`() {
        var staging = Staging()
        /// The number of fast batches that are not polled for before one that is.
        func pause(found: Bool) -> Int {
            var count = 0
            while true {
                staging.add(Staging.fast, at: start)
                let polling = staging.polling()
                staging.handedOver()
                if polling == Staging.poll { break }
                #expect(polling == .zero)
                count += 1
            }
            staging.polled(for: Staging.poll, found: found)
            return count
        }
        #expect((0..<9).map { _ in pause(found: false) } == [0, 1, 3, 7, 15, 31, 63, 63, 63])
        #expect([true, true, false].map(pause) == [63, 0, 0])
        #expect(pause(found: true) == 1)
    }
}
