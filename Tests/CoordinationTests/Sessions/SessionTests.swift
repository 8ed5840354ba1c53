import Testing

@testable import Coordination

@Suite struct SessionTests {
    private typealias Texts = Session<[String], String>

    /// What happens between the begin of a call, or of a sign-in, and its end.
    private enum Event: CaseIterable { case change, reset, commit, keep }

    private func apply(_ event: Event, to session: Texts) {
        switch event {
        case .change: session.change { $0.append("change") }
        case .reset: session.reset { $0 = [] }
        case .commit: #expect(session.commit(session.beginSignIn(), as: "other") { $0 = ["other"] })
        case .keep: session.keep(from: session.snapshot) { $0.append("kept") }
        }
    }

    @Test func `a result is kept unless the session was reset or another sign-in succeeded`() {
        for (event, isKept) in [(Event.change, true), (.reset, false), (.commit, false), (.keep, true)] {
            let session = Texts([])
            let start = session.snapshot
            apply(event, to: session)
            let before = session.snapshot.value
            #expect(session.isCurrent(start) == isKept)
            #expect(session.keep(from: start) { $0.append("late") } == isKept)
            #expect(session.snapshot.value == before + (isKept ? ["late"] : []))
        }
    }

    @Test func `what was kept is read by calls of the same sign-in`() {
        for (event, isRead) in [(Event.change, true), (.reset, false), (.commit, false), (.keep, true)] {
            let session = Texts([])
            let start = session.snapshot
            apply(event, to: session)
            #expect((session.read(from: start, \.self) != nil) == isRead)
            #expect(session.read(from: session.snapshot, \.self) == session.read(\.self))
        }
    }

    @Test(arguments: [true, false]) func `a reset can be a change, of one server under another name`(isSame: Bool) {
        let session = Texts(["a"])
        let (start, signIn) = (session.snapshot, session.beginSignIn())
        session.reset(unless: { $0 == (isSame ? ["a"] : []) }) { value, isReset in
            value.append("\(isReset)")
        }
        #expect(session.read(\.self) == ["a", "\(!isSame)"] && session.isCurrent(start) == isSame)
        #expect(session.commit(signIn, as: "user") { _ in } == isSame)
    }

    @Test func `a sign-in succeeds unless the session was reset or a later one has succeeded`() {
        for (event, succeeds) in [(Event.change, true), (.reset, false), (.commit, false), (.keep, true)] {
            let session = Texts([])
            let signIn = session.beginSignIn()
            apply(event, to: session)
            let user = session.snapshot.user
            #expect(session.commit(signIn, as: "a") { $0 = ["a"] } == succeeds)
            #expect(session.snapshot.user == (succeeds ? "a" : user))
        }
        // An earlier one that ends late does not replace a later one; a later one replaces an earlier one.
        let session = Texts([])
        let signIns = (0..<3).map { _ in session.beginSignIn() }
        #expect(session.commit(signIns[1], as: "b") { _ in } && !session.commit(signIns[0], as: "a") { _ in })
        #expect(session.commit(signIns[2], as: "c") { _ in } && session.snapshot.user == "c")
    }

    @Test func `a reset signs out, and changes the value at the same time`() {
        let session = Texts(["x"])
        #expect(session.commit(session.beginSignIn(), as: "a") { $0.append("token") })
        #expect(session.snapshot.user == "a" && session.read { $0 } == ["x", "token"])
        #expect(session.reset { value in value.removeLast() } == "token")
        #expect(session.snapshot.user == nil && session.read { $0 } == ["x"])
    }

    @Test func `another user is noticed, also after a sign-out`() {
        let session = Texts([])
        func signIn(_ user: String) { #expect(session.commit(session.beginSignIn(), as: user) { _ in }) }
        signIn("a")
        let start = session.snapshot
        #expect(!session.hasOtherUser(since: start))
        session.reset { _ in }
        #expect(!session.hasOtherUser(since: start))
        signIn("a")
        #expect(!session.hasOtherUser(since: start) && !session.isCurrent(start))
        signIn("b")
        session.reset { _ in }
        #expect(session.hasOtherUser(since: start))
        // A call that began signed out has no user to compare with.
        let signedOut = session.snapshot
        signIn("b")
        #expect(session.hasOtherUser(since: signedOut))
    }
}
