import { getDisplayValueAlignmentFactors, VizOrientation, type FieldDisplay } from '@grafana/data';
import { BigValue, BigValueColorMode, BigValueGraphMode, BigValueJustifyMode, BigValueTextMode, useTheme2, VizRepeater } from '@grafana/ui';
import { values, type Props } from './props';

export function Stat(props: Props) {
  const theme = useTheme2();
  const { width, height } = props;
  const options = props.data.panel.options ?? {};
  const graphMode = options.graphMode ?? BigValueGraphMode.Area;
  return (
    <VizRepeater
      width={width}
      height={height}
      source={props.data}
      getValues={() => values(props, theme, graphMode !== BigValueGraphMode.None)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      renderCounter={0}
      orientation={options.orientation ?? VizOrientation.Auto}
      autoGrid
      renderValue={({ value, width, height, alignmentFactors, count }) => {
        const { display, sparkline, hasLinks } = value as FieldDisplay;
        return (
          <BigValue
            theme={theme}
            value={display}
            sparkline={sparkline}
            width={width}
            height={height}
            count={count}
            hasLinks={hasLinks}
            alignmentFactors={alignmentFactors}
            colorMode={options.colorMode ?? BigValueColorMode.Value}
            graphMode={graphMode}
            justifyMode={options.justifyMode ?? BigValueJustifyMode.Auto}
            textMode={options.textMode ?? BigValueTextMode.Auto}
            disableWideLayout={options.wideLayout === false}
            text={options.text}
          />
        );
      }}
    />
  );
}
