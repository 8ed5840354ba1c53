import Delegation

/// A class with methods by selector, which logs their calls.
class Screen: SelectorTarget {
    class var selectors: SelectorTable {
        [
            .method("reload", Screen.reload),
            .method("finished:", Screen.finished),
            .method("failed:with:", Screen.failed(_:with:)),
            .method("anything:") { (screen: Screen) in { (value: Any) in screen.log("anything \(value)") } },
            .method("a:b:c:", Screen.three),
        ]
    }

    private(set) var calls: [String] = []

    func log(_ call: String) { calls.append(call) }
    func reload() { log("reload") }
    func finished(_ number: Int) { log("finished \(number)") }
    func failed(_ number: Int?, with text: String) { log("failed \(number ?? -1) \(text)") }
    func three(_ a: Int, _ b: Float, _ c: [Int64]) { log("three \(a) \(b) \(c)") }
}

/// Overrides one method, replaces another one and adds a third.
class DetailScreen: Screen {
    override class var selectors: SelectorTable {
        super.selectors + [
            .method("more:", DetailScreen.more),
            .method("anything:") { (screen: DetailScreen) in { (value: Any) in screen.log("replaced \(value)") } },
        ]
    }

    override func finished(_ number: Int) { log("overridden \(number)") }
    func more(_ screen: Screen) { log("more \(screen === self)") }
}

/// Inherits the table.
final class QuietScreen: Screen {
    override func log(_ call: String) {}
}
