import Foundation
import HTTPMessages
import Testing

@Suite struct CallIDTests {
    @Test func `IDs are unique, and their texts are read again`() {
        let ids = (0..<100).map { _ in CallID.next() }
        #expect(Set(ids).count == 100)
        for id in ids { #expect(CallID("\(id)") == id) }
    }

    @Test(arguments: ["", "-", "1", "1-2-3", "x-1", "1-x", "100000000-1", "1-100000000"])
    func `other texts are no IDs`(_ text: String) { #expect(CallID(text) == nil) }

    @Test func `an ID and a reason travel in the options`() {
        var options = RequestOptions()
        #expect(options.callID == nil && options.attemptReason == .initial && options.urlTemplate == nil)
        options.callID = CallID(rawValue: 7)
        options.attemptReason = AttemptReason("mirror")
        options.urlTemplate = "/a/{b}"
        #expect(options.callID?.description == "0-7" && "\(options.attemptReason)" == "mirror")
        #expect(options.urlTemplate == "/a/{b}")
    }
}
