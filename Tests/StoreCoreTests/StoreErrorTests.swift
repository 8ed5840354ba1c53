import StoreCore
import Testing

@Suite struct StoreErrorTests {
    @Test func `description contains the code`() {
        #expect(StoreError(.busy, "Wait.").description == "Wait. [busy]")
        #expect(StoreError(.full, "No room.", engineCode: 13).description == "No room. [full, SQLite 13]")
        let syntax = StoreError(.syntax, "near \"FRM\": syntax error", offset: 9, engineCode: 1)
        #expect(syntax.description == "near \"FRM\": syntax error [syntax at byte 9, SQLite 1]")
    }

    @Test func `unsupported SQL has feature and offset`() {
        let error = StoreError.unsupportedSQL("WINDOW", at: 12)
        #expect(error.code == .unsupportedSQL)
        #expect(error.feature == "WINDOW")
        #expect(error.offset == 12)
        #expect(error.message.contains("WINDOW"))
    }
}
