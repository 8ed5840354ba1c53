extension WorkerThreads {
    /// Runs what callers may wait for while they block their threads: calls, refreshes, shared requests, fetches.
    ///
    /// An app may block all threads of the cooperative pool and of Dispatch's global queues in such calls. The pool
    /// gets no further thread then, and Dispatch one a second. Here a thread starts at once while there are fewer than
    /// 64; the jobs wait for others without blocking, unless code of the app blocks.
    package static let calls = WorkerThreads(count: 64, name: "patchbay.calls")
    /// Calls transfer observers.
    package static let observers = WorkerThreads(count: 4, name: "patchbay.events")
    /// Writes the files of downloads.
    package static let files = WorkerThreads(count: 4, name: "patchbay.files")
}
