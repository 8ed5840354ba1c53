import Synchronization

/// Work that others wait for, as the tasks see it that run for it: if one waited for its end, it would not end.
///
/// The deadlock guard of refreshes, questions to the app, and locks. The mark is a task-local value, so tasks that the
/// work starts have it too; it counts only until the work has finished.
///
/// ```swift
/// guard !RunningWork.isCurrent(of: self) else { throw recursiveCall }
/// return try await RunningWork.run(for: self) { try await refresh() }
/// ```
package final class RunningWork: Sendable {
    @TaskLocal private static var all: [RunningWork] = []

    // Valid while `isRunning`, since the task of the work retains the objects.
    private let subjects: [ObjectIdentifier]
    private let context: (any Sendable)?
    private let isRunning = Atomic(true)

    private init(_ subjects: [ObjectIdentifier], _ context: (any Sendable)?) {
        self.subjects = subjects
        self.context = context
    }

    /// The work of the current task that has not finished.
    private static var running: [RunningWork] { all.filter(\.isUnfinished) }

    /// True in the task of any work, and in tasks that it has started, until the work has finished.
    package static var isCurrent: Bool { all.contains(where: \.isUnfinished) }

    /// True in the task of a subject's work, and in tasks that it has started, until the work has finished.
    package static func isCurrent(of subject: AnyObject) -> Bool {
        running.contains { $0.subjects.contains(ObjectIdentifier(subject)) }
    }

    /// The context of the innermost work of the current task that has one of this type.
    package static func context<Context>(_: Context.Type) -> Context? {
        running.lazy.compactMap { $0.context as? Context }.last
    }

    /// Runs work for which the calls of a subject wait.
    /// - Parameter context: what code within the work finds by ``context(_:)``.
    package static func run<Value>(
        for subject: AnyObject, context: (any Sendable)? = nil, _ work: () async throws -> Value
    ) async rethrows -> Value {
        let mark = RunningWork([ObjectIdentifier(subject)], context)
        // Tasks that outlive a work, such as a timer that it has started, pass it on to later ones.
        let others = Self.running
        defer { mark.finish() }
        return try await $all.withValue(others + [mark]) { try await work() }
    }

    /// A question to the app for which the current work waits: calls that its callback starts belong to the work until
    /// ``finish()``.
    /// - Parameter subject: what the question is about besides, as an argument of ``isCurrent(of:)``.
    package static func question(about subject: AnyObject? = nil) -> RunningWork {
        RunningWork(running.flatMap(\.subjects) + [subject].compactMap { $0.map { ObjectIdentifier($0) } }, nil)
    }

    /// True until ``finish()``.
    package var isUnfinished: Bool { isRunning.load(ordering: .acquiring) }

    /// Ends the work, or the question.
    package func finish() { isRunning.store(false, ordering: .releasing) }

    /// Calls code of the app that answers this question.
    package func perform(_ callback: () -> Void) { Self.$all.withValue([self]) { callback() } }

    /// Calls code of the app for which no work waits: calls that it starts wait as usual.
    package static func leave(_ callback: () -> Void) { $all.withValue([]) { callback() } }
}
