import Delegation
import Testing

@Suite struct SelectorTableTests {
    @Test func `lists its selectors, and those of its base`() throws {
        try DetailScreen.selectors.validate()
        #expect(Screen.selectors.selectors == ["a:b:c:", "anything:", "failed:with:", "finished:", "reload"])
        #expect(DetailScreen.selectors.selectors == (Screen.selectors.selectors + ["more:"]).sorted())
    }

    @Test(arguments: [("a", 0), ("a:", 1), ("a:b:", 2), ("a::", 2), ("", -1), ("a:b", -1), (":a", -1), ("a:b:c:", -1)])
    func `the number of colons must match the number of arguments`(selector: String, count: Int) {
        let tables: [SelectorTable] = [
            [.method(selector) { (_: Screen) in { () in } }],
            [.method(selector) { (_: Screen) in { (_: Int) in } }],
            [.method(selector) { (_: Screen) in { (_: Int, _: Int) in } }],
        ]
        let codes = tables.map { table -> SelectorError.Code? in
            do throws(SelectorError) {
                try table.validate()
                return nil
            } catch {
                #expect(error.selector == selector)
                return error.code
            }
        }
        #expect(codes == (0...2).map { $0 == count ? nil : .malformed })
    }

    @Test func `a selector may be in one table only once, but in the table of a subclass again`() throws {
        let twice: SelectorTable = [.method("reload", Screen.reload), .method("reload", Screen.reload)]
        let error = #expect(throws: SelectorError.self) { try twice.validate() }
        #expect(error?.code == .alreadyRegistered)
        let once: SelectorTable = [.method("reload", Screen.reload)]
        try (once + once).validate()
    }

    @Test func `a mistake stays in the table of a subclass`() {
        let mistaken: SelectorTable = [.method("reload:", Screen.reload)]
        let right: SelectorTable = [.method("reload", Screen.reload)]
        for table in [mistaken + right, right + mistaken] {
            let error = #expect(throws: SelectorError.self) { try table.validate() }
            #expect(
                error.map { "\($0)" }
                    == "\"reload:\": Selector does not fit a method of 0 arguments; write a colon for each, the last at "
                    + "the end. [malformed]")
        }
    }
}
