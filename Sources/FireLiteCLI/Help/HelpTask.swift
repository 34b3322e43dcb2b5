/// What somebody wants to do, with the commands for it.
struct HelpTask {
    /// The word for `firelite help WORD`, which is no command.
    let name: String
    let title: String
    /// Sentences and command lines; a line that begins with spaces is one to type.
    let text: String

    /// The command lines, in their order.
    var lines: [String] { text.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { String($0.drop { $0 == " " }) } }

    static let all = [
        HelpTask(
            name: "start", title: "put resources into a new database and look at them",
            text: """
                A database is made by the first import:
                  firelite import --database health.sqlite patients.ndjson observations.ndjson
                  firelite info health.sqlite
                  firelite find health.sqlite Patient --format table
                Where the same database is used again and again, the variable FIRELITE_DATABASE names it.
                """),
        HelpTask(
            name: "table", title: "print elements of resources as a table, or for a spreadsheet",
            text: """
                Conditions and columns name elements by FHIR's names, also through lists:
                  firelite find health.sqlite Patient 'birthDate<1970' --values id,name.family,birthDate --format table
                  firelite find health.sqlite Patient --values id,name.family --format csv --spreadsheet
                Rows of lists need a view; `firelite help view` describes it.
                """),
        HelpTask(
            name: "pages", title: "read long lists page by page",
            text: """
                Resources are continued after the last one, which needs no counting and is not disturbed by changes:
                  firelite find health.sqlite Patient --sort birthDate --limit 1
                  firelite find health.sqlite Patient --sort birthDate --limit 1 --after 123
                Most other lists have --limit, --skip and --after, too, as the help of a command says. Statements are continued by
                a condition:
                  firelite sql health.sqlite 'SELECT id, gender FROM Patient WHERE id > ? ORDER BY id LIMIT 1' 123
                """),
        HelpTask(
            name: "change", title: "correct a resource by hand",
            text: """
                One element, a whole resource from a file, or the text in your editor (EDITOR). What is stored is checked first:
                  firelite patch --database health.sqlite Patient/123 gender=female
                  firelite put --database health.sqlite patient.json
                `firelite edit --database health.sqlite Patient/123` shows conflicts with what others stored meanwhile.
                """),
        HelpTask(
            name: "undo", title: "keep earlier versions and restore one",
            text: """
                Versions are kept from the moment on in which the history is switched on:
                  firelite track --database health.sqlite on history
                  firelite patch --database health.sqlite Patient/123 gender=female
                  firelite history health.sqlite Patient/123
                  firelite diff --database health.sqlite Patient/123
                  firelite restore --database health.sqlite Patient/123
                """),
        HelpTask(
            name: "safety", title: "check a file, copy it and read a damaged one",
            text: """
                A copy of a database in use is made by backup, never by cp:
                  firelite check health.sqlite
                  firelite backup --database health.sqlite copy.sqlite
                  firelite recover damaged.sqlite saved.sqlite
                """),
        HelpTask(
            name: "person", title: "take a person's data along, or erase a person",
            text: """
                What belongs to a patient goes into a folder, which another database imports:
                  firelite export health.sqlite --patient Patient/123 --output person
                  firelite import --database other.sqlite person
                A dry run counts what would be erased. Erasing overwrites it, with its earlier versions:
                  firelite erase health.sqlite Patient/123 --dry-run
                  firelite erase health.sqlite Patient/123
                """),
        HelpTask(
            name: "scripts", title: "use results in programs",
            text: """
                --json prints one object with everything a command found, --format ndjson one object a line, --format csv a table;
                every command that lists has both.
                The exit status is 1 if something was not found or is damaged, 2 if the command line is wrong, 3 after a failure:
                  firelite find health.sqlite Patient gender=female --count --json
                  firelite history health.sqlite Patient/123 --format ndjson
                """),
    ]
}
