/// The stylesheet of every page. `BrowsingAStore.md` has its principles.
enum Stylesheet {
    static let text = variables + frame + parts + pages + print

    /// Type scale 12–13–15–18–24, spacing in steps of 4, and colours whose contrast with what they stand on is at least 4.5:1.
    private static let variables = """
        :root {
          color-scheme: light dark;
          --page: #f7f7f5; --surface: #ffffff; --sunken: #f0f0ed; --text: #1c2024; --muted: #565e66; --line: #dcdfe1;
          --accent: #0a5794; --accent-soft: #e3eef7; --bar: #7fb0d6; --good: #19703a; --bad: #a8231b; --bad-soft: #fbe9e7; --mark: #fff0b8;
          --s1: #0a5794; --s2: #8a4b08; --s3: #19703a; --s4: #7b3fa0; --s5: #a8231b; --s6: #3d5a66;
          --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
          --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14171a; --surface: #1b1f23; --sunken: #22272c; --text: #e6e9ec; --muted: #a3adb8; --line: #343b42;
            --accent: #86bff0; --accent-soft: #1d3347; --bar: #3d6f98; --good: #76cf92; --bad: #ff9e94; --bad-soft: #41211f; --mark: #54450f;
            --s1: #86bff0; --s2: #eab06e; --s3: #76cf92; --s4: #cfa2ec; --s5: #ff9e94; --s6: #a9c4cf;
          }
        }

        """

    private static let frame = """
        * { box-sizing: border-box; }
        html { font: 15px/1.5 var(--font); color: var(--text); background: var(--page); scroll-padding-top: 16px; }
        body { margin: 0; overflow-wrap: break-word; }
        a { color: var(--accent); text-decoration: none; }
        a:hover, main p a, .note a, .muted a { text-decoration: underline; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
        h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 600; text-wrap: balance; overflow-wrap: anywhere; }
        h1 { font-size: 24px; } h2 { font-size: 18px; } h3 { font-size: 15px; }
        p { margin: 0 0 8px; max-width: 72ch; }
        code, pre, kbd, textarea, .mono { font-family: var(--mono); font-size: 13px; }
        pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
        .skip { position: absolute; left: -999px; top: 0; background: var(--accent); color: var(--surface); padding: 8px 16px; z-index: 2; }
        .skip:focus { left: 0; }
        .top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 8px 24px; background: var(--surface);
          border-bottom: 1px solid var(--line); }
        .top .brand { font-weight: 600; color: var(--text); display: flex; align-items: center; gap: 8px; }
        .top .brand svg { width: 20px; height: 20px; }
        .top nav ul { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 0; padding: 0; }
        .top nav a { display: block; padding: 4px 12px; border-radius: 6px; color: var(--text); }
        .top nav a:hover { background: var(--sunken); text-decoration: none; }
        .top nav a[aria-current] { background: var(--accent-soft); color: var(--accent); }
        .top form { margin-left: auto; flex: 0 1 340px; display: flex; gap: 4px; }
        .top input { width: 100%; }
        .crumbs { padding: 12px 24px 0; margin-bottom: -8px; color: var(--muted); font-size: 13px; }
        .crumbs ol { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px; }
        .crumbs li + li::before { content: "/"; margin-right: 4px; color: var(--muted); }
        main { padding: 16px 24px 48px; max-width: 1600px; }
        .head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; margin: 0 0 16px; }
        .head .more { color: var(--muted); }
        footer { padding: 16px 24px; border-top: 1px solid var(--line); color: var(--muted); font-size: 13px; display: flex; flex-wrap: wrap;
          gap: 4px 24px; justify-content: space-between; }

        """

    private static let parts = """
        .card { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 0 0 16px; min-width: 0; }
        .card > h2 { margin-bottom: 12px; }
        .grid { display: grid; gap: 16px; align-items: start; }
        .grid > .card { margin: 0; } .grid + .card, .card > .scroll + h3 { margin-top: 16px; } .facts + p { margin: 8px 0 0; }
        .two { grid-template-columns: minmax(0, 1fr) minmax(0, 360px); }
        .side { grid-template-columns: 256px minmax(0, 1fr); }
        .halves { grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
        .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 0; }
        .facts dt { color: var(--muted); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .scroll { overflow-x: auto; }
        .scroll:focus-visible { outline-offset: -2px; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { text-align: left; padding: 5px 16px 5px 0; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
        th:last-child, td:last-child { padding-right: 0; }
        th { font-weight: 600; font-size: 13px; color: var(--muted); white-space: nowrap; }
        th a { color: inherit; } th[aria-sort] a { color: var(--accent); }
        tbody tr:hover td { background: var(--sunken); }
        tbody tr:last-child td { border-bottom: 0; }
        .list td { max-width: 380px; min-width: 72px; }
        .num { text-align: right; white-space: nowrap; }
        .muted { color: var(--muted); } .small { font-size: 13px; } .mono.small { font-size: 12px; } .nowrap { white-space: nowrap; } .bad { color: var(--bad); } .good { color: var(--good); }
        .bar { display: block; width: 100%; min-width: 60px; height: 8px; } .bar rect { fill: var(--bar); }
        td.barcell { width: 40%; vertical-align: middle; }
        .chips { display: flex; flex-wrap: wrap; gap: 4px 8px; list-style: none; margin: 0; padding: 0; }
        .chip { display: inline-block; padding: 0 8px; border-radius: 10px; background: var(--sunken); font-size: 13px; }
        .chip.on { background: var(--accent-soft); color: var(--accent); }
        .chip.warn { background: var(--bad-soft); color: var(--bad); }
        .note { border-left: 3px solid var(--line); padding: 4px 12px; color: var(--muted); margin: 0 0 12px; max-width: 80ch; }
        .note.error { border-color: var(--bad); background: var(--bad-soft); color: var(--bad); }
        .empty { padding: 8px 0; color: var(--muted); }
        input, select, textarea, button { font: inherit; font-size: 14px; color: inherit; background: var(--surface); border: 1px solid #7d868e;
          border-radius: 6px; padding: 4px 8px; max-width: 100%; }
        textarea { width: 100%; min-height: 92px; font-family: var(--mono); font-size: 13px; line-height: 1.5; }
        button, .button { display: inline-block; font-size: 14px; background: var(--accent); color: var(--surface); border: 1px solid var(--accent);
          border-radius: 6px; padding: 4px 12px; cursor: pointer; }
        button.quiet, .button.quiet { background: var(--surface); color: var(--accent); border-color: var(--line); }
        .button:hover { text-decoration: none; filter: brightness(1.08); }
        label { font-size: 13px; color: var(--muted); display: block; }
        label.inline { display: inline-flex; gap: 6px; align-items: center; color: var(--text); }
        .row { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin-bottom: 12px; } .row:last-child { margin-bottom: 0; }
        .stack > * + * { margin-top: 8px; }
        details > summary { cursor: pointer; color: var(--accent); }
        details > summary:hover { text-decoration: underline; }
        .how dl { margin: 8px 0 0; } .how dt { font-size: 13px; color: var(--muted); margin-top: 8px; }
        .how dd { margin: 0; background: var(--sunken); border-radius: 6px; padding: 8px 12px; }
        .tabs { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 0 0 16px; padding: 0; border-bottom: 1px solid var(--line); }
        .tabs a { display: block; padding: 6px 12px; color: var(--text); border-bottom: 2px solid transparent; margin-bottom: -1px; }
        .tabs a:hover { text-decoration: none; border-color: var(--line); }
        .tabs a[aria-current] { border-color: var(--accent); color: var(--accent); }

        """

    private static let pages = """
        .facet { margin: 0 0 16px; } .facet h3 { font-size: 13px; color: var(--muted); margin-bottom: 4px; }
        .facet ul { list-style: none; margin: 0; padding: 0; }
        .facet li { display: flex; gap: 8px; justify-content: space-between; }
        .panes { grid-template-columns: minmax(0, 5fr) minmax(0, 4fr) minmax(0, 4fr); }
        .pane { max-height: 78vh; overflow: auto; }
        .tree, .tree ul { list-style: none; margin: 0; padding: 0; } .tree ul { padding-left: 18px; border-left: 1px solid var(--line); }
        .tree .e { border-radius: 4px; padding: 0 4px; overflow-wrap: anywhere; }
        .tree .n { color: var(--muted); text-decoration: underline dotted; } .tree .n:hover { color: var(--accent); }
        .json div { padding: 0 4px; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
        .json { font-family: var(--mono); font-size: 12px; line-height: 1.55; }
        .json .k { color: var(--s1); } .json .s { color: var(--s3); } .json .v { color: var(--s2); }
        .rows .r { border-bottom: 1px solid var(--line); padding: 4px; font-size: 12px; font-family: var(--mono); overflow-wrap: anywhere; }
        .rows .c { color: var(--muted); }
        .lit, :target { background: var(--mark); }
        .fault { border-left: 3px solid var(--bad); } .doubt { border-left: 3px solid var(--s2); }
        .issue { color: var(--bad); font: 13px/1.4 var(--font); margin: 0; } span.issue { display: block; padding-left: 8px; }
        .issues { color: var(--bad); font-size: 13px; margin: 0; padding-left: 20px; }
        [aria-invalid="true"] { border-color: var(--bad); }
        .narrative { overflow-x: auto; max-height: 420px; } .narrative table { width: auto; }
        .narrative th, .narrative td { border: 1px solid var(--line); padding: 2px 8px; }
        .old { background: var(--bad-soft); } .new { background: var(--accent-soft); }
        .preview { max-width: 100%; max-height: 320px; border: 1px solid var(--line); border-radius: 6px; }
        svg.figure { display: block; width: 100%; height: auto; font: 12px var(--font); }
        svg.figure text { fill: var(--muted); } svg.figure .label { fill: var(--text); } svg.figure a text, svg.figure a .label { fill: var(--accent); }
        svg.figure .grid-line { stroke: var(--line); } svg.figure .box { fill: var(--surface); stroke: var(--line); }
        svg.figure .box.main { fill: var(--accent-soft); stroke: var(--accent); } svg.figure .edge { stroke: var(--muted); fill: none; }
        svg.figure .cell { fill: var(--bar); } svg.figure a:hover .box { stroke: var(--accent); }
        svg.figure .band { fill: var(--accent-soft); } svg.figure .line { fill: none; stroke: var(--s1); stroke-width: 1.5; }
        svg.figure .dot { fill: var(--s1); } svg.figure .dot.out { fill: var(--s5); }
        svg.figure a:focus-visible { outline: 2px solid var(--accent); }
        .c1 { fill: var(--s1); } .c2 { fill: var(--s2); } .c3 { fill: var(--s3); } .c4 { fill: var(--s4); } .c5 { fill: var(--s5); } .c0 { fill: var(--s6); }
        .lanes { min-width: 720px; }
        @media (max-width: 1100px) { .panes { grid-template-columns: minmax(0, 1fr); } .pane { max-height: none; } }
        @media (max-width: 860px) {
          .two, .side { grid-template-columns: minmax(0, 1fr); }
          .top, .crumbs, main, footer { padding-left: 16px; padding-right: 16px; }
          .top form { margin-left: 0; flex-basis: 100%; }
          .side > .filters { order: 2; }
        }
        @media (prefers-reduced-motion: no-preference) { .lit { transition: background .12s; } }

        """

    private static let print = """
        @media print {
          :root { --page: #fff; --surface: #fff; --sunken: #fff; --text: #000; --muted: #444; --line: #bbb; color-scheme: light; }
          .top, .crumbs, .skip, footer, .filters, form, .how, .tabs, .noprint { display: none; }
          .card { border: 0; padding: 0; break-inside: avoid-page; } .side, .two, .panes { display: block; }
          .pane, .narrative { max-height: none; overflow: visible; } main { padding: 0; }
        }

        """
}
