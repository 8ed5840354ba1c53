import HTTPMessages
import Testing
import Transport

@Suite struct RedirectPolicyTests {
    @Test func `standard has the defaults`() {
        #expect(RedirectPolicy() == .standard)
        #expect(RedirectPolicy.standard.limit == 20 && RedirectPolicy.standard.detectsLoops)
        #expect(!RedirectPolicy.standard.allowsDowngrade && RedirectPolicy.standard.secrets == .standard)
        #expect(Set(RedirectPolicy.standard.methods.keys.map(\.code)) == [301, 302, 303, 307, 308])
        #expect(RedirectPolicy.never.methods.isEmpty)
    }
}
