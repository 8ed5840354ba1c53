import Delegation
import Dispatch
import Testing

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

@Suite struct SelectorsTests {
    private final class Plain {}

    @Test func `calls methods by selector, with any number of arguments`() throws {
        let screen = Screen()
        #expect(try Selectors.perform("reload", on: screen))
        #expect(try Selectors.perform("finished:", on: screen, with: [7]))
        #expect(try Selectors.perform("failed:with:", on: screen, with: [7, "x"]))
        #expect(try Selectors.perform("failed:with:", on: screen, with: [Int?.none as Any, "y"]))
        #expect(try Selectors.perform("anything:", on: screen, with: ["z"]))
        #expect(try Selectors.perform("a:b:c:", on: screen, with: [1, Float(0.5), [Int64(3)]]))
        #expect(
            screen.calls == [
                "reload", "finished 7", "failed 7 x", "failed -1 y", "anything z", "three 1 0.5 [3]",
            ])
    }

    @Test func `a subclass adds, overrides and replaces methods`() throws {
        let screen: AnyObject = DetailScreen()
        try Selectors.perform("reload", on: screen)
        try Selectors.perform("finished:", on: screen, with: [1])
        try Selectors.perform("anything:", on: screen, with: [2])
        try Selectors.perform("more:", on: screen, with: [screen])
        #expect((screen as? DetailScreen)?.calls == ["reload", "overridden 1", "replaced 2", "more true"])
        #expect(try !Selectors.perform("more:", on: Screen(), with: [screen]))
        #expect(try Selectors.perform("reload", on: QuietScreen()))
    }

    @Test func `S14, a target without the method or without a table is no error`() throws {
        let screen = Screen()
        #expect(try !Selectors.perform("nothing", on: screen))
        #expect(try !Selectors.perform("reload", on: Plain()))
        // The second look-up of a class uses the cached table, or its absence.
        #expect(try !Selectors.perform("reload", on: Plain()))
        #expect(Selectors.responds(screen, to: "reload") && !Selectors.responds(screen, to: "nothing"))
        #expect(!Selectors.responds(Plain(), to: "reload"))
        #expect(screen.calls.isEmpty)
    }

    @Test(
        arguments: [
            ("finished:", ["7"]), ("finished:", []), ("finished:", [1, 2]), ("reload", [1]), ("failed:with:", [1, 2]),
        ] as [(String, [any Sendable])])
    func `wrong arguments are errors, and the method is not called`(selector: String, arguments: [any Sendable]) {
        let screen = Screen()
        let error = #expect(throws: SelectorError.self) {
            try Selectors.perform(selector, on: screen, with: arguments.map { $0 as Any })
        }
        #expect(error?.code == .wrongArguments && error?.selector == selector)
        #expect(screen.calls.isEmpty)
    }

    @Test func `the error names the target's class and the types, not the values`() {
        let error = #expect(throws: SelectorError.self) {
            try Selectors.perform("finished:", on: Screen(), with: ["s3cret"])
        }
        #expect(
            error.map { "\($0)" }
                == "\"finished:\": Method of Screen does not take these arguments: (String); declare it with these "
                + "types. [wrongArguments]")
    }

    @Test func `a method that belongs to another class is an error`() {
        final class Wrong: SelectorTarget {
            static let selectors: SelectorTable = [.method("reload", Screen.reload)]
        }
        let error = #expect(throws: SelectorError.self) { try Selectors.perform("reload", on: Wrong()) }
        #expect(error?.code == .wrongArguments)
    }

    @Test func `a mistake in a table is an error of each call on its class`() {
        final class Mistaken: SelectorTarget {
            static let selectors: SelectorTable = [.method("done", Mistaken.done), .method("reload", Mistaken.reload)]
            func done(_ number: Int) {}
            func reload() {}
        }
        for selector in ["done", "done:", "reload", "nothing"] {
            let error = #expect(throws: SelectorError.self) { try Selectors.perform(selector, on: Mistaken()) }
            #expect(error?.code == .malformed && error?.selector == "done")
        }
    }

    @MainActor private final class View: SelectorTarget {
        nonisolated static let selectors: SelectorTable = [
            .mainActorMethod("done:", View.done), .mainActorMethod("request:got:", View.request(_:got:)),
        ]
        var calls: [String] = []
        func done(_ number: Int) { calls.append("done \(number)") }
        func request(_ screen: Screen, got bytes: Int64) { calls.append("got \(bytes)") }
    }

    @MainActor @Test func `methods of the main actor are called on the main thread only`() async {
        let view = View()
        func code(_ arguments: [Any]) -> SelectorError.Code? {
            do { #expect(try Selectors.perform("done:", on: view, with: arguments)) } catch { return error.code }
            return nil
        }
        #expect(code([1]) == nil)
        #expect(code(["1"]) == .wrongArguments)
        #expect(throws: Never.self) { try Selectors.perform("request:got:", on: view, with: [Screen(), Int64(5)]) }
        #expect(view.calls == ["done 1", "got 5"])
        let elsewhere = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(SelectorError) {
                    try Selectors.perform("done:", on: view, with: [2])
                    continuation.resume(returning: SelectorError.Code?.none)
                } catch {
                    continuation.resume(returning: error.code)
                }
            }
        }
        #expect(elsewhere == .notOnMainThread)
        #expect(view.calls == ["done 1", "got 5"])
    }

    /// A setter of a facade.
    private func name(_ selector: some CustomStringConvertible) -> String { selector.description }

    @Test func `a setter takes literals and, on Apple's platforms, selectors`() {
        #expect(name("requestDone:") == "requestDone:")
        #if canImport(ObjectiveC)
            #expect(name(Selector(("requestDone:"))) == "requestDone:")
        #endif
    }
}
