import Delegation
import Testing

@Suite struct SelectorTableTests {
    private final class Screen {
        var calls: [String] = []
        func reload() { calls.append("reload") }
        func finished(_ number: Int) { calls.append("finished \(number)") }
        func failed(_ number: Int?, _ text: String) { calls.append("failed \(number ?? -1) \(text)") }
    }

    private func table() throws -> SelectorTable<Screen> {
        try SelectorTable<Screen>()
            .registering("reload") { $0.reload() }
            .registering("finished:") { (screen, number: Int) in screen.finished(number) }
            .registering("failed:with:") { (screen, number: Int?, text: String) in screen.failed(number, text) }
            .registering("anything:") { (screen, value: Any) in screen.calls.append("anything \(value)") }
    }

    @Test func `calls methods by selector`() throws {
        let screen = Screen()
        let table = try table()
        try table.perform("reload", on: screen)
        try table.perform("finished:", on: screen, with: 7)
        try table.perform("failed:with:", on: screen, with: 7, "x")
        try table.perform("failed:with:", on: screen, with: Int?.none as Any, "y")
        try table.perform("anything:", on: screen, with: "z")
        #expect(screen.calls == ["reload", "finished 7", "failed 7 x", "failed -1 y", "anything z"])
        #expect(table.names == ["anything:", "failed:with:", "finished:", "reload"])
    }

    @Test(arguments: [("a", 0), ("a:", 1), ("a:b:", 2), ("a::", 2), ("", -1), ("a:b", -1), (":a", -1), ("a:b:c:", -1)])
    func `the number of colons must match the number of arguments`(name: String, arity: Int) {
        let empty = SelectorTable<Screen>()
        func code(_ register: () throws(SelectorError) -> SelectorTable<Screen>) -> SelectorError.Code? {
            do {
                #expect(try register().names == [name])
                return nil
            } catch {
                #expect(error.selector == name)
                return error.code
            }
        }
        let codes = [
            code { () throws(SelectorError) in try empty.registering(name) { _ in } },
            code { () throws(SelectorError) in try empty.registering(name) { (_, _: Int) in } },
            code { () throws(SelectorError) in try empty.registering(name) { (_, _: Int, _: Int) in } },
        ]
        #expect(codes == (0...2).map { $0 == arity ? nil : .malformed })
    }

    @Test func `a selector can be registered only once`() throws {
        let table = try table()
        let error = #expect(throws: SelectorError.self) { _ = try table.registering("reload") { _ in } }
        #expect(error?.code == .alreadyRegistered)
    }

    @Test func `wrong arguments are errors, and the method is not called`() throws {
        let screen = Screen()
        let table = try table()
        func code(_ perform: () throws -> Void) -> SelectorError.Code? {
            do { try perform() } catch { return (error as? SelectorError)?.code }
            return nil
        }
        #expect(code { try table.perform("finished:", on: screen, with: "7") } == .wrongArguments)
        #expect(code { try table.perform("finished:", on: screen) } == .wrongArguments)
        #expect(code { try table.perform("finished:", on: screen, with: 1, 2) } == .wrongArguments)
        #expect(code { try table.perform("reload", on: screen, with: 1) } == .wrongArguments)
        #expect(code { try table.perform("failed:with:", on: screen, with: 1, 2) } == .wrongArguments)
        #expect(code { try table.perform("nothing", on: screen) } == .notRegistered)
        #expect(code { try table.performIfRegistered("finished:", on: screen, with: "7") } == .wrongArguments)
        #expect(screen.calls.isEmpty)
    }

    @Test func `performIfRegistered ignores unregistered selectors`() throws {
        let screen = Screen()
        let table = try table()
        #expect(try table.performIfRegistered("reload", on: screen))
        #expect(try !table.performIfRegistered("nothing", on: screen))
        #expect(screen.calls == ["reload"])
        #expect(table.contains("reload") && !table.contains("nothing"))
    }
}
