import Testing

@testable import CurlTransport

@Suite struct AdaptivePollingTests {
    @Test func `without a suggestion there is no poll`() {
        var polling = AdaptivePolling()
        #expect(polling.begin() == false)
        polling.suggest()
        #expect(polling.begin() == true)
        polling.end(found: true)
        // As long as polls find something, no further suggestion is needed.
        #expect(polling.begin() == true)
        polling.end(found: false)
        #expect(polling.begin() == false)
    }

    @Test func `after polls that find nothing, more and more suggestions are left out`() {
        var polling = AdaptivePolling()
        /// The number of suggestions until one is followed.
        func suggestions() -> Int {
            for count in 1... {
                polling.suggest()
                if polling.begin() { return count }
            }
            return 0
        }
        for expected in [1, 2, 4, 8, 16, 32, 64, 64] {
            #expect(suggestions() == expected)
            polling.end(found: false)
        }
        #expect(suggestions() == AdaptivePolling.maximumPause + 1)
        polling.end(found: true)
        #expect(suggestions() == 1)
    }
}
