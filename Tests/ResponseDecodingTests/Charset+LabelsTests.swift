import Testing

@testable import ResponseDecoding

@Suite struct CharsetLabelsTests {
    @Test func `labels are in lower case, and each charset has at least one`() {
        #expect(Charset.byLabel.keys.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty })
        #expect(Set(Charset.byLabel.values).count == SingleByteCharset.allCases.count + 3)
    }

    @Test func `the number of labels matches the standard`() {
        #expect(Charset.byLabel.count == 183)
    }
}
