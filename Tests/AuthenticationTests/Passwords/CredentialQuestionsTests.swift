import Foundation
import Testing

@testable import Authentication

@Suite struct CredentialQuestionsTests {
    private typealias Questions = CredentialQuestions<Int>

    private let space: ProtectionSpace
    private let old = PasswordCredential(user: "u", password: "old")
    private let new = PasswordCredential(user: "u", password: "new")

    init() throws { space = ProtectionSpace(try #require(URL(string: "https://h/")), realm: "r") }

    private enum Join: Equatable {
        case use(String)
        case wait
        case ask
        case deadlock

        init(_ result: CredentialQuestions<Int>.JoinResult) {
            self =
                switch result {
                case .use(let credential): .use(credential.password)
                case .wait: .wait
                case .ask: .ask
                case .deadlock: .deadlock
                }
        }
    }

    /// Joins as a waiter whose number is its ID.
    private func join(
        _ questions: inout Questions, _ id: Int, rejected: PasswordCredential? = nil, partOf asker: Int? = nil
    ) -> Join {
        Join(questions.join(id, id: UInt64(id), for: space, rejected: rejected) { $0 == asker })
    }

    @Test func `the first call asks, and others wait`() {
        var questions = Questions()
        #expect(join(&questions, 1) == .ask && join(&questions, 2) == .wait)
        #expect(join(&questions, 3, rejected: old) == .wait && questions.waiterCount == 2)
        let other = ProtectionSpace(space.recipient, realm: "other")
        #expect(Join(questions.join(4, id: 4, for: other, rejected: nil)) == .ask)
    }

    @Test(
        arguments: [
            (nil, nil, .ask), (nil, "old", .ask), ("old", nil, .use("old")), ("old", "old", .ask),
            ("new", "old", .use("new")),
        ] as [(String?, String?, Join)])
    private func `a stored credential is used unless it was rejected`(
        stored: String?, rejected: String?, expected: Join
    ) {
        var questions = Questions()
        if let stored { questions.set(PasswordCredential(user: "u", password: stored), for: space) }
        let rejected = rejected.map { PasswordCredential(user: "u", password: $0) }
        #expect(join(&questions, 1, rejected: rejected) == expected)
        #expect((questions.credential(for: space) == nil) == (expected == .ask))
    }

    @Test func `all waiters get the outcome, and a credential is stored`() {
        for outcome in [new, nil] {
            var questions = Questions()
            for id in 1...3 { _ = join(&questions, id) }
            #expect(questions.finish(2, for: space, credential: new).isEmpty && questions.waiterCount == 2)
            #expect(questions.finish(1, for: space, credential: outcome) == [2, 3])
            #expect(questions.credential(for: space) == outcome && questions.waiterCount == 0)
            #expect(join(&questions, 4) == (outcome == nil ? .ask : .use("new")))
        }
    }

    @Test func `a cancelled asker passes the question on, and its own outcome is dropped`() {
        var questions = Questions()
        for id in 1...3 { _ = join(&questions, id) }
        #expect(questions.cancelAsker(2, for: space) == nil)
        #expect(questions.cancelAsker(1, for: space) == 2)
        #expect(questions.finish(1, for: space, credential: old).isEmpty && questions.credential(for: space) == nil)
        #expect(questions.finish(2, for: space, credential: new) == [3])
        #expect(questions.credential(for: space) == new)
    }

    @Test func `a cancelled asker without waiters ends the question`() {
        var questions = Questions()
        _ = join(&questions, 1)
        #expect(questions.cancelAsker(1, for: space) == nil)
        #expect(join(&questions, 2) == .ask)
    }

    @Test func `a cancelled waiter gets nothing`() {
        var questions = Questions()
        for id in 1...3 { _ = join(&questions, id) }
        #expect(questions.cancelWaiter(2, for: space) == 2 && questions.cancelWaiter(2, for: space) == nil)
        #expect(questions.cancelWaiter(1, for: space) == nil)
        #expect(questions.finish(1, for: space, credential: new) == [3])
    }

    @Test func `a question that would wait for itself is refused`() {
        var questions = Questions()
        _ = join(&questions, 1)
        #expect(join(&questions, 2, partOf: 1) == .deadlock && join(&questions, 3, partOf: 7) == .wait)
        questions.set(new, for: space)
        #expect(join(&questions, 4, partOf: 1) == .use("new"))
    }

    @Test func `only the rejected credential is removed`() {
        var questions = Questions()
        questions.set(new, for: space)
        questions.remove(space, ifEqual: old)
        #expect(questions.credential(for: space) == new)
        questions.remove(space, ifEqual: new)
        #expect(questions.credential(for: space) == nil)
        questions.set(new, for: space)
        questions.remove(space)
        #expect(questions.credential(for: space) == nil)
    }

    @Test func `the outcome of a question from before all were removed is for its waiters only`() {
        var questions = Questions()
        for id in 1...4 { _ = join(&questions, id) }
        questions.removeAll()
        // A later call asks for itself.
        #expect(join(&questions, 5) == .ask && join(&questions, 6) == .wait && questions.waiterCount == 4)
        #expect(questions.cancelAsker(1, for: space) == 2)
        #expect(questions.cancelWaiter(4, for: space) == 4)
        #expect(questions.finish(2, for: space, credential: old) == [3])
        #expect(questions.credential(for: space) == nil && questions.waiterCount == 1)
        #expect(questions.finish(5, for: space, credential: new) == [6] && questions.credential(for: space) == new)
        #expect(questions.waiterCount == 0)
    }

    @Test func `the latest credential of an origin`() {
        var questions = Questions()
        let other = ProtectionSpace(space.recipient, realm: "other")
        questions.set(old, for: space)
        questions.set(new, for: other)
        #expect(questions.latest(of: space.recipient) == StoredCredential(new, for: other))
        questions.set(old, for: space)
        #expect(questions.latest(of: space.recipient) == StoredCredential(old, for: space))
        #expect(questions.latest(of: .proxy(nil)) == nil)
        questions.removeAll()
        #expect(questions.latest(of: space.recipient) == nil)
    }
}
