import Delegation
import Testing

@Suite struct SelectorTargetsTests {
    private final class Plain {}
    private final class Strict: SelectorTarget {
        static let selectors: SelectorTable = [.method("finished:", Strict.finished)]
        func finished(_ text: String) {}
    }

    @Test func `calls each living target that has the method, in order and once`() throws {
        var targets = SelectorTargets()
        let (first, second, third) = (Screen(), DetailScreen(), Plain())
        for target in [first, second, first, third] as [AnyObject] { targets.add(target) }
        #expect(try targets.perform("finished:", with: [1]) == 2)
        #expect(first.calls == ["finished 1"] && second.calls == ["overridden 1"])
        #expect(targets.objects.map(ObjectIdentifier.init) == [first, second, third].map(ObjectIdentifier.init))
        targets.remove(first)
        #expect(try targets.perform("reload") == 1)
        #expect(first.calls.count == 1 && second.calls.count == 2)
    }

    @Test func `S46, targets are not kept alive`() throws {
        var targets = SelectorTargets()
        var screen: Screen? = Screen()
        let isReleased = { [weak screen] in screen == nil }
        targets.add(try #require(screen))
        screen = nil
        #expect(isReleased() && targets.objects.isEmpty)
        #expect(try targets.perform("reload") == 0)
    }

    @Test func `an error of one target does not keep the others from their calls`() {
        var targets = SelectorTargets()
        let (strict, screen) = (Strict(), Screen())
        targets.add(strict)
        targets.add(screen)
        let error = #expect(throws: SelectorError.self) { try targets.perform("finished:", with: [1]) }
        #expect(error?.code == .wrongArguments)
        #expect(screen.calls == ["finished 1"])
    }
}
