import CurlTransport
import TestSupport
import Testing
import Transport

@Suite(.enabled(if: TestTransport.engine == "curl", "PATCHBAY_TEST_TRANSPORT is not `curl`."))
struct SwitchTests {
    @Test func `the facades' tests run over this engine`() {
        for transport in [TestTransport.shared, TestTransport.withoutDeadlines, TestTransport.make()] {
            #expect(transport.base is CurlTransport)
        }
    }
}
