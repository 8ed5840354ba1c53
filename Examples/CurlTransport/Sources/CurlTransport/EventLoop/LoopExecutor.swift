import Dispatch

/// Runs the jobs of tasks on the event thread, for readers that compute little.
///
/// After the end of the thread, they run on Dispatch's.
final class LoopExecutor: TaskExecutor {
    private let mailbox: Mailbox

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !mailbox.post(.run(job, on: self)) else { return }
        DispatchQueue.global().async { self.run(job) }
    }

    func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
