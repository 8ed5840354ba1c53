/// State machine of the credentials of all protection spaces, and of the calls that wait for one.
///
/// Each space has its own states (single flight):
///
/// ```
/// empty  -set->                   stored   waiters of a question keep waiting for its outcome
/// empty  -join->                  asking   the caller asks
/// stored -join->                  stored   the credential is used, unless it is the rejected one
/// stored -join: it was rejected-> asking   the credential is removed, the caller asks
/// asking -join->                  asking   a waiter more
/// asking -cancel of a waiter->    asking   a waiter less
/// asking -cancel of the asker->   asking   the first waiter asks; stored or empty without waiters
/// asking -finish: credential->    stored   all waiters get the credential
/// asking -finish: nil or error->  empty    all waiters get the same
/// stored -removeAll->             empty
/// asking -removeAll->             empty    those that wait get the outcome, which is not stored; later calls ask
/// ```
struct CredentialQuestions<Waiter: Sendable>: Sendable {
    enum JoinResult: Sendable {
        case use(PasswordCredential)
        /// The waiter gets the outcome of a question in flight, or asks itself.
        case wait
        /// The caller asks.
        case ask
        /// The waiter is not kept: the question would wait for itself.
        case deadlock
    }

    private typealias Call = (id: UInt64, waiter: Waiter)

    private struct Question {
        /// The call that asks.
        var asker: Call
        /// In the order of their arrival.
        var waiters: [Call] = []

        /// Makes the first waiter the asker; nil without one.
        mutating func nextAsker() -> Call? {
            guard !waiters.isEmpty else { return nil }
            asker = waiters.removeFirst()
            return asker
        }
    }

    private struct Stored {
        let credential: PasswordCredential
        /// Later ones are greater.
        let number: UInt64
    }

    /// Maximum number of credentials of one server or proxy, which may change its realm with each response.
    static var maximumSpaces: Int { 64 }

    private var stored: [ProtectionSpace: Stored] = [:]
    private var questions: [ProtectionSpace: Question] = [:]
    /// Questions from before a ``removeAll()``, by the ID of the asker: their outcome is for the calls that wait.
    private var former: [UInt64: Question] = [:]
    private var lastID: UInt64 = 0

    /// The number of waiters.
    var waiterCount: Int {
        questions.values.reduce(0) { $0 + $1.waiters.count } + former.values.reduce(0) { $0 + $1.waiters.count }
    }

    /// Makes an ID for a call; later IDs are greater.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    func credential(for space: ProtectionSpace) -> PasswordCredential? { stored[space]?.credential }

    /// The credential that was stored last for any realm of a server or a proxy.
    func latest(of recipient: ProtectionSpace.Recipient) -> StoredCredential? {
        stored.filter { $0.key.recipient == recipient }.max { $0.value.number < $1.value.number }
            .map { StoredCredential($0.value.credential, for: $0.key) }
    }

    mutating func set(_ credential: PasswordCredential, for space: ProtectionSpace) {
        stored[space] = Stored(credential: credential, number: makeID())
        let others = stored.filter { $0.key.recipient == space.recipient }
        guard others.count > Self.maximumSpaces else { return }
        if let oldest = others.min(by: { $0.value.number < $1.value.number })?.key { stored[oldest] = nil }
    }

    /// Removes the credential of a space.
    /// - Parameter credential: nil removes any.
    mutating func remove(_ space: ProtectionSpace, ifEqual credential: PasswordCredential? = nil) {
        guard credential == nil || credential == stored[space]?.credential else { return }
        stored[space] = nil
    }

    mutating func removeAll() {
        stored = [:]
        for question in questions.values { former[question.asker.id] = question }
        questions = [:]
    }

    /// Adds a waiter, unless there is a credential or its caller has to ask.
    /// - Parameter isPart: whether the call is a part of the question of an asker.
    mutating func join(
        _ waiter: Waiter, id: UInt64, for space: ProtectionSpace, rejected: PasswordCredential?,
        isPart: (_ asker: Waiter) -> Bool = { _ in false }
    ) -> JoinResult {
        if let credential = credential(for: space), credential != rejected { return .use(credential) }
        stored[space] = nil
        if let question = questions[space] {
            guard !isPart(question.asker.waiter) else { return .deadlock }
            questions[space]?.waiters.append((id, waiter))
            return .wait
        }
        questions[space] = Question(asker: (id, waiter))
        return .ask
    }

    /// Ends a question.
    /// - Parameter credential: nil after a failure, and without a credential.
    /// - Returns: the waiters, which get the outcome; none if `id` does not ask any more.
    mutating func finish(_ id: UInt64, for space: ProtectionSpace, credential: PasswordCredential?) -> [Waiter] {
        if let question = former.removeValue(forKey: id) { return question.waiters.map(\.waiter) }
        guard let question = questions[space], question.asker.id == id else { return [] }
        questions[space] = nil
        if let credential { set(credential, for: space) }
        return question.waiters.map(\.waiter)
    }

    /// Ends the part of a cancelled asker in its question.
    /// - Returns: the waiter that has to ask now; nil without one.
    mutating func cancelAsker(_ id: UInt64, for space: ProtectionSpace) -> Waiter? {
        if var question = former.removeValue(forKey: id) {
            guard let next = question.nextAsker() else { return nil }
            former[next.id] = question
            return next.waiter
        }
        guard var question = questions[space], question.asker.id == id else { return nil }
        let next = question.nextAsker()
        questions[space] = next == nil ? nil : question
        return next?.waiter
    }

    /// Removes a waiter; nil if it is no longer waiting.
    mutating func cancelWaiter(_ id: UInt64, for space: ProtectionSpace) -> Waiter? {
        if let index = questions[space]?.waiters.firstIndex(where: { $0.id == id }) {
            return questions[space]?.waiters.remove(at: index).waiter
        }
        for (asker, question) in former {
            guard let index = question.waiters.firstIndex(where: { $0.id == id }) else { continue }
            return former[asker]?.waiters.remove(at: index).waiter
        }
        return nil
    }
}
